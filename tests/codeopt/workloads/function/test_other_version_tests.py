"""Two versions of a function are also told apart by the tests that the old one passes: calls alone cannot see what a
test arranges around them."""
# looks at sandbox/codeopt_sandbox/guest/tests/outcomes, sandbox/codeopt_sandbox/guest/tests/trace

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from codeopt.workloads.function.other_version import changed_parameters
from codeopt.workloads.source.functions import read_function
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox
from tests.support.files import git, make_repository, write_files

OLD = """\
RATE = 2


def converted(prices: list[int]) -> list[int]:
    found = []
    for price in prices:
        found = found + [price * RATE]
    return found


def label(price: int) -> str:
    return f"{price} EUR"
"""
LOOP = OLD[OLD.index("    found = []") : OLD.index("\n\ndef label")]
RIGHT = OLD.replace(LOOP, "    rate = RATE\n    return [price * rate for price in prices]\n")
WRONG = OLD.replace(LOOP, "    return [price * 2 for price in prices]\n")
TESTS = """\
import shop


def test_converted():
    assert shop.converted([1, 2, 5, 9, 30]) == [2, 4, 10, 18, 60]
    assert shop.converted(list(range(2000)))[-1] == 3998


def test_another_rate(monkeypatch):
    monkeypatch.setattr(shop, "RATE", 3)
    assert shop.converted([1, 2]) == [3, 6]
"""
FAST = {"CODEOPT_MAX_PAIRS": "9"}
SEEN = "test tests/test_shop.py::test_another_rate fails"


@pytest.mark.parametrize(("old", "new", "taken"), [
    ("a, b=1", "a, b=2", True),
    ("a, b=1", "a, b=1, c=None, *rest, **more", True),
    ("a, b=1", "a, *args, **kwargs", True),
    ("a, /", "other, /", True),
    ("*args, **kwargs", "*a, **k", True),
    ("self, a, *, key=None", "self, a, *, more=1, key=0", True),
    ("a, b=1", "x, b=1", False),
    ("a, b=1", "a, top=1", False),
    ("a, b=1", "a, b", False),
    ("a, b", "b, a", False),
    ("a, b=1", "a, *, b=1", False),
    ("a", "a, /", False),
    ("a", "a, b", False),
    ("a", "", False),
    ("*a", "a=None", False),
    ("**k", "", False),
    ("*, key", "key", True),
    ("*, key", "*, name", False),
])  # fmt: skip
def test_a_signature_takes_all_calls_of_the_old_one(old: str, new: str, taken: bool, tmp_path: Path) -> None:
    files = write_files(tmp_path, {"old.py": f"def f({old}): return 1\n", "new.py": f"def f({new}): return 1\n"})
    functions = [read_function(files / name, "f") for name in ("old.py", "new.py")]
    assert (changed_parameters(*functions) == "") is taken


@pytest.fixture
def project(tmp_path: Path) -> Path:
    require_sandbox()
    files = {"shop.py": OLD, "tests/test_shop.py": TESTS, "pyproject.toml": ""}
    return make_repository(tmp_path / "project", files, "as it was")


@pytest.mark.full
@pytest.mark.parametrize("there", ["shop.py", "draft.py", "../other/shop.py", "../draft.py"])
def test_a_version_that_fails_a_test_is_rejected(project: Path, there: str) -> None:
    """In its own place, beside it, in another checkout, and outside of any."""
    if there == "../other/shop.py":
        shutil.copytree(project, project.parent / "other")
    (project / there).write_text(WRONG)
    sides = ["--base", "HEAD"] if there == "shop.py" else ["shop.py::converted", f"{there}::converted"]
    done = codeopt("compare", *sides, "--json", cwd=project, env=FAST)
    found = done.json["functions"][0] if there == "shop.py" else done.json
    assert (found["verdict"], done.status) == ("wrong", 1), done
    assert SEEN in found["reason"]


@pytest.mark.full
@pytest.mark.parametrize("there", ["draft.py", "../other/shop.py"])
def test_one_that_passes_them_is_timed(project: Path, there: str) -> None:
    """Tests that NEW's checkout no longer has are a note."""
    if there == "../other/shop.py":
        shutil.copytree(project, project.parent / "other")
        (project / "../other/tests/test_shop.py").write_text(TESTS[: TESTS.index("\n\ndef test_another")])
    (project / there).write_text(RIGHT)
    done = codeopt("compare", "shop.py::converted", f"{there}::converted", "--json", cwd=project, env=FAST)
    assert done.json["verdict"] == "faster", done
    told = [note for note in done.json["notes"] if "not run on NEW" in note]
    assert told == ["1 test that OLD passes not run on NEW: its checkout does not have them"] * (there != "draft.py")


@pytest.mark.full
def test_test_files_that_are_not_run_are_named(project: Path) -> None:
    for number in range(9):
        (project / f"tests/test_more_{number}.py").write_text(TESTS)
    git(project, "add", "-A")
    (project / "draft.py").write_text(RIGHT)
    sides = ("shop.py::converted", "draft.py::converted")
    done = codeopt("compare", *sides, "--json", cwd=project, env=FAST)
    told = [row for row in done.json["diagnostics"] if "not run" in row["message"]]
    assert [row["message"] for row in told] == ["2 test files not run, of which test_more_7.py is one"]
    assert "2 test files not run" in codeopt("compare", *sides, cwd=project, env=FAST).out
