"""`codeopt improve MODULE.py` and `codeopt improve FOLDER`: a library's functions, one after the other."""
# looks at codeopt/cli/commands/improve

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import QUICK, codeopt
from tests.conftest import require_sandbox
from tests.support.files import make_repository

pytestmark = pytest.mark.full

NAMES = """\
def labels(names: list[str]) -> list[str]:
    known: list[str] = []
    for name in names:
        if name not in known:
            known.append(name)
    return known


def repeated(names: list[str]) -> int:
    known: list[str] = []
    count = 0
    for name in names:
        if name in known:
            count += 1
        else:
            known.append(name)
    return count


def longest(names: list[str]) -> int:
    return max((len(name) for name in names), default=0)


def private(handle):
    return handle.read()
"""
TEST_NAMES = """\
import pytest
from names import labels, longest, repeated

MANY = [str(i * i % 997) for i in range(4000)]


@pytest.mark.parametrize("count", [0, 1, 2, 10, 600, 4000])
def test_labels(count):
    assert len(labels(MANY[:count])) == len(set(MANY[:count]))
    assert repeated(MANY[:count]) == count - len(set(MANY[:count]))
    assert longest(MANY[:count]) <= 3
"""


def project(folder: Path, **files: str) -> Path:
    return make_repository(folder, {f"{name}.py": text for name, text in files.items()}, "as it was")


def test_the_slow_functions_of_a_folder_are_tried_and_put_in_place(tmp_path: Path) -> None:
    require_sandbox()
    names = NAMES.replace(NAMES[NAMES.index("def repeated") : NAMES.index("def longest")], "")
    tests = TEST_NAMES.replace("longest, repeated", "longest").replace("    assert repeated(MANY[:count])", "    #")
    folder = project(tmp_path / "r", names=names, test_names=tests)
    done = codeopt("improve", "r", "--model", "rules", "--write", "--json", *QUICK, cwd=tmp_path)
    assert done.status == 0, done.err
    first, *rest = done.json["functions"]
    assert (first["path"], first["function"]) == ("r/names.py", "labels")  # it takes longest
    assert first["speedup"]["ratio"] > 3
    assert [row["function"] for row in rest] == ["longest", "private"]
    assert rest[1]["reason"].startswith("no test runs it")
    assert done.json["improved"] == 1
    assert done.json["results"]["r/names.py::labels"]["accepted"]
    written = (folder / "names.py").read_text()
    assert written.count("set()") == 1
    assert written.endswith(NAMES[NAMES.index("def longest") :])
    assert "b/r/names.py" in done.json["diff"]
    assert "1 of 2 functions faster" in done.err


def test_two_functions_of_a_file_are_judged_together_before_they_are_put_in_place(tmp_path: Path) -> None:
    require_sandbox()
    folder = project(tmp_path / "r", names=NAMES, test_names=TEST_NAMES)
    done = codeopt("improve", "r/names.py", "--model", "rules", "--write", "--json", *QUICK, cwd=tmp_path)
    assert done.status == 0, done.err
    assert {row["function"] for row in done.json["functions"] if row["speedup"]} == {"labels", "repeated"}
    assert "r/names.py::labels with all suggestions for its file" in done.err
    assert (folder / "names.py").read_text().count("set()") == 2


def test_a_module_that_the_rules_know_nothing_for_is_no_program_and_takes_no_run(tmp_path: Path) -> None:
    """Its import takes longer than what a script is taken to do."""
    require_sandbox()
    text = f"import re\n\nimport heavy\n\nWORD = re.compile('x')\n\n\n{NAMES[NAMES.index('def longest') :]}"
    folder = project(tmp_path / "r", lib=text, heavy="sum(range(20_000_000))\n")
    done = codeopt("improve", "lib.py", "--model", "rules", cwd=folder)
    assert done.status == 1, done.err
    assert "lib.py::longest: no rule applies" in done.err
    assert "Not tried: 1 more (no test runs it" in done.err
    assert "slow: line" not in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["improve", "r", "--cases", "r"], "--cases is for one program or function, and r has several"),
        (["improve", "r/names.py", "--calls", "r/names.py"], "--calls is for one program or function"),
        (["improve", "empty"], "empty has no function that could be improved"),
        (["profile", "r/names.py"], "does nothing when it is run; name one of its functions: r/names.py::labels, r"),
        (["compare", "r", "r"], "r is a directory\n  hint: name the Python file in it"),
    ],
)
def test_what_is_refused(arguments: list[str], says: str, tmp_path: Path) -> None:
    project(tmp_path / "r", names=NAMES)
    (tmp_path / "empty").mkdir()
    done = codeopt(*arguments, cwd=tmp_path)
    assert done.status == 2
    assert says in done.err
    assert len(done.facts) <= 2
