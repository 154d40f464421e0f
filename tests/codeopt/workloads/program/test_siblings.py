"""Scripts and modules that import from their own project."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from codeopt.errors import UsageError
from codeopt.target import as_module
from codeopt.workloads.program.siblings import absolute_imports
from tests.codeopt.command import codeopt

LOOP = "found = []\nfor n in range(SIZE):\n    if n not in found:\n        found.append(n)\nprint(len(found))\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package in src, a script beside its helper, and what git does not track."""
    package, tools = tmp_path / "src" / "pkg", tmp_path / "tools"
    package.mkdir(parents=True)
    tools.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(f"import sys\nfrom .size import SIZE\nprint(sys.argv[1])\n{LOOP}")
    (package / "size.py").write_text("SIZE = 2500\n")
    (package / "tool.py").write_text("print(1)\n")
    (tools / "helper.py").write_text("SIZE = 2500\n")
    (tools / "run.py").write_text(f"from helper import SIZE\n{LOOP}")
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize("target", [["tools/run.py"], ["-m", "pkg", "--model", "rules"]], ids=" ".join)
@pytest.mark.parametrize("sandbox", ["bubblewrap", "process"])
def test_a_script_and_a_module_find_their_project(target: list[str], sandbox: str, project: Path) -> None:
    """The changed import of a module never reaches the diff."""
    more = ["--", "10"] if "-m" in target else []
    flags = ("--sandbox", sandbox, "--no-profile", "--changed-inputs", "off")
    done = codeopt("improve", *target, *flags, *more, cwd=project)
    assert done.status == 0, done.err
    assert "from pkg" not in done.out
    assert "found_set" in done.out


def test_what_python_m_would_run(project: Path, tmp_path: Path) -> None:
    assert as_module("pkg", project).path == Path("src/pkg/__main__.py")
    assert (as_module("pkg", project).package, as_module("pkg.tool", project).package) == ("pkg", "pkg")
    (project / "src" / "pkg" / "__main__.py").unlink()
    for name, said in (("pkg", "has no __main__.py"), ("nope", "no such module"), ("a/b", "no module's name")):
        with pytest.raises(UsageError, match=said):
            as_module(name, project)


def test_relative_imports_become_absolute_in_their_own_lines() -> None:
    """Only the imports themselves, whatever stands before them."""
    source = "x = 'é'; from . import a\nfrom  ..b.c  import (d,\n  e)\nfrom .... import far\ntext = 'from . import a'\n"
    wanted = source.replace("; from . import", "; from one.two import").replace(
        "from  ..b.c  import", "from one.b.c import"
    )
    assert absolute_imports(source, "one.two") == wanted
    assert absolute_imports("from .broken import\n", "one") == "from .broken import\n"
