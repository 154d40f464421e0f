"""Scripts and modules that import from their own project."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from codeopt.workloads.program.siblings import absolute_imports
from codeopt.workloads.sandbox_view.view import imported_unadded
from tests.codeopt.command import codeopt
from tests.support.files import make_repository, write_files

LOOP = "found = []\nfor n in range(SIZE):\n    if n not in found:\n        found.append(n)\nprint(len(found))\n"
BESIDE = """\
from pathlib import Path

HERE = Path(__file__).parent
size = int((HERE / "tracked.txt").read_text())


def distinct(words: list[str]) -> int:
    seen = []
    for word in words[:size]:
        if word not in seen:
            seen.append(word)
    return len(seen)


words = [str(word) for word in (HERE / "data" / "words.txt").read_text().split()]
print(distinct(words), sorted(words)[:3], Path(__file__).name)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package in src, a script beside its helper, and what git does not track."""
    package = {
        "src/pkg/__init__.py": "",
        "src/pkg/__main__.py": f"import sys\nfrom .size import SIZE\nprint(sys.argv[1])\n{LOOP}",
        "src/pkg/size.py": "SIZE = 1200\n",
        "src/pkg/tool.py": "print(1)\n",
    }
    tools = {"tools/helper.py": "SIZE = 1200\n", "tools/run.py": f"from helper import SIZE\n{LOOP}"}
    return make_repository(tmp_path, package | tools)


@pytest.mark.full
@pytest.mark.parametrize("target", [["tools/run.py"], ["-m", "pkg", "--model", "rules"]], ids=" ".join)
@pytest.mark.parametrize("sandbox", ["bubblewrap", "process"])
def test_a_script_and_a_module_find_their_project(target: list[str], sandbox: str, project: Path) -> None:
    """The changed import of a module never reaches the diff."""
    more = ["--", "10"] if "-m" in target else []
    flags = ("--sandbox", sandbox, "--no-profile", "--mutated-inputs", "off")
    done = codeopt("improve", *target, *flags, *more, cwd=project)
    assert done.status == 0, done.err
    assert "from pkg" not in done.out
    assert "found_set" in done.out


def test_what_is_imported_and_not_yet_added(project: Path) -> None:
    """It is shown as what git tracks is, and what that imports in turn; nothing else of what lies about."""
    package = project / "src" / "pkg"
    deep = "from .er import x\ntry:\n    import pkg.local\nexcept ImportError: ...\n"
    write_files(package, dict.fromkeys(("new.py", "about.py", "local.py"), "SIZE = 1200\n"))
    write_files(package, {"size.py": "from pkg.new import SIZE\nfrom . import deep\n"})
    write_files(package, {"deep/__init__.py": deep, "deep/er.py": "x = 1\n"})
    (project / ".gitignore").write_text("local.py\n")
    roots = (project / "src", project)
    found = imported_unadded(package / "__main__.py", project, roots)
    assert {str(path) for path in found} == {f"src/pkg/{name}.py" for name in ("new", "deep/__init__", "deep/er")}
    assert imported_unadded(project / "tools" / "run.py", project, roots) == []
    shutil.rmtree(project / ".git")
    assert Path("tools/helper.py") in imported_unadded(project / "tools" / "run.py", project, roots)


def test_relative_imports_become_absolute_in_their_own_lines() -> None:
    """Only the imports themselves, whatever stands before them."""
    source = "x = 'é'; from . import a\nfrom  ..b.c  import (d,\n  e)\nfrom .... import far\ntext = 'from . import a'\n"
    wanted = source.replace("; from . import", "; from one.two import").replace(
        "from  ..b.c  import", "from one.b.c import"
    )
    assert absolute_imports(source, "one.two") == wanted
    assert absolute_imports("from .broken import\n", "one") == "from .broken import\n"


@pytest.mark.full
def test_what_a_script_reads_beside_itself(tmp_path: Path) -> None:
    """What git tracks is there; another file is named, and with it changed inputs reach the program; no draft can tell
    its place from that of the original."""
    make_repository(tmp_path, {"tools/tracked.txt": "1200", "tools/run.py": BESIDE})
    words = "\n".join(str(n % 1000) for n in range(1200)) + "\n"
    write_files(tmp_path, {"tools/data/words.txt": words})
    flags = ("improve", "tools/run.py", "--model", "rules", "--sandbox", "bubblewrap", "--no-profile", "--json")
    done = codeopt(*flags, cwd=tmp_path)
    assert (done.status, done.json["hint"]) == (5, "--with tools/data/words.txt gives it that file"), done.err
    done = codeopt(*flags, "--with", "tools/data", cwd=tmp_path)
    assert (done.status, done.json["tests"]["total"]) == (0, 1), done.err
    assert done.json["tests"]["input_count"] > 4
    assert "Path(__file__).parent" in (tmp_path / done.json["run"] / "best.py").read_text()
