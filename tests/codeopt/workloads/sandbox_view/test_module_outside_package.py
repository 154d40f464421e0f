"""NEW is a version of OLD's module wherever its file lies: it has OLD's siblings and OLD's interpreter."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

import pytest

from codeopt.workloads.sandbox_view.reached import is_outside_package
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

QUICK = ("--sandbox", "bubblewrap", "--max-pairs", "8", "-q", "--json")
IMPORTS = {"relative": "from .helper import double\n", "absolute": "from pkg.helper import double\n"}
SLOW = """

def f(values: list[int]) -> list[int]:
    found = []
    for value in values:
        if double(value) not in found:
            found.append(double(value))
    return found
"""
RIGHT = "\n\ndef f(values: list[int]) -> list[int]:\n    return list(dict.fromkeys(map(double, values)))\n"
WRONG = RIGHT.replace("dict.fromkeys(map(double, values))", "set(map(double, values))")


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.c", *words], check=True)


def write_package(root: Path, text: str) -> Path:
    """A package of two modules under git; the path of the one that imports the other."""
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "__init__.py").write_text("")
    (root / "pkg" / "helper.py").write_text("def double(x):\n    return 2 * x\n")
    (root / "pkg" / "mod.py").write_text(text)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "all")
    return root / "pkg" / "mod.py"


@pytest.mark.parametrize("imports", IMPORTS.values(), ids=IMPORTS)
@pytest.mark.parametrize(("body", "verdict"), [(RIGHT, "faster"), (WRONG, "wrong")], ids=["right", "wrong"])
def test_a_draft_outside_of_its_package_is_judged(tmp_path: Path, imports: str, body: str, verdict: str) -> None:
    require_sandbox()
    old = write_package(tmp_path / "project", imports + SLOW)
    new = tmp_path / "drafts" / "mod.py"
    new.parent.mkdir()
    new.write_text(imports + body)
    found = codeopt("compare", f"{old}::f", f"{new}::f", *QUICK, cwd=tmp_path).json
    assert found["verdict"] == verdict, found["reason"]
    assert "relative import" not in found["reason"]


@pytest.mark.parametrize("imports", IMPORTS.values(), ids=IMPORTS)
@pytest.mark.parametrize("place", ["/drafts/mod.py", "/project/draft.py", "/project/drafts/mod.py"])
def test_strays(tmp_path: Path, imports: str, place: str) -> None:
    """Absolute imports are found from anywhere in the project."""
    old = write_package(tmp_path / "project", imports + SLOW)
    new = Path(f"{tmp_path}{place}")
    new.parent.mkdir(exist_ok=True)
    new.write_text(imports + RIGHT)
    assert is_outside_package(new.read_text(), new, old) == ("project" not in place or imports == IMPORTS["relative"])


def test_what_another_checkout_lost_is_not_lent(tmp_path: Path) -> None:
    """A change that takes away a module that is still imported is wrong."""
    old, new = (write_package(tmp_path / name, IMPORTS["relative"] + SLOW) for name in ("before", "after"))
    assert not is_outside_package(new.read_text(), new, old)
    new.with_name("helper.py").unlink()
    assert not is_outside_package(new.read_text(), new, old)
    assert not is_outside_package(old.read_text(), old, old)


def test_a_file_that_imports_nothing_of_the_project_is_at_home_anywhere(tmp_path: Path) -> None:
    old = write_package(tmp_path / "project", "import math\n" + SLOW)
    new = tmp_path / "mod.py"
    new.write_text("import math\n" + RIGHT)
    assert not is_outside_package(new.read_text(), new, old)


@pytest.mark.parametrize("first", ["old", "new"])
def test_the_interpreter_of_old_runs_both(tmp_path: Path, first: str) -> None:
    """NEW's where OLD's place has none."""
    require_sandbox()
    homes = {name: tmp_path / name for name in ("old", "new")}
    venv.create(homes[first] / ".venv", with_pip=False, symlinks=True)
    program = "print(sum(k * k for k in range(200000)))\n"
    for home in homes.values():
        home.mkdir(exist_ok=True)
        (home / "a.py").write_text(program)
        (home / "input.1.txt").write_text("")
        (home / "output.1.txt").write_text("2666646666700000\n")
    done = codeopt("compare", "old/a.py", "new/a.py", *QUICK, "--mutated-inputs", "off", cwd=tmp_path)
    assert done.json["python"]["origin"] == "project", done.err
    assert done.json["python"]["path"].startswith(str(homes[first]))
