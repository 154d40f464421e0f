"""Each way in which tests, doctests, hints or a profile give nothing is named: made to fail here, one by one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.target import Target
from codeopt.workloads.function.corpus.existing_tests import Tests as SuiteRun
from codeopt.workloads.function.corpus.sources import Ask, doctests, hints, tests
from codeopt.workloads.function.harness import open_harness
from codeopt.workloads.source.functions import read_function
from tests.conftest import require_sandbox
from tests.support.judges import function_judge, open_with

PASSES = "from mod import f\n\n\ndef test_f():\n    assert f(2) == 4\n"
MISSING = "ModuleNotFoundError: No module named 'nowhere_to_be_found'"
SUITES = {
    "a module that is not there": (
        {"test_f.py": f"import nowhere_to_be_found\n{PASSES}"}, [1], f"test_f.py: {MISSING}", "--python"
    ),
    "a conftest that cannot be imported": (
        {"test_f.py": PASSES, "conftest.py": "import nowhere_to_be_found\n"}, [1],
        f"pytest ended with status 4: {MISSING}", "--python",
    ),
    "a module that is skipped": (
        {"test_f.py": f"import pytest\n\npytest.importorskip('nowhere_to_be_found')\n{PASSES}"}, [1],
        "test_f.py: Skipped: could not import 'nowhere_to_be_found': ", "--python",
    ),
    "a test that fails": ({"test_f.py": PASSES.replace("4", "5")}, [1], "test_f.py::test_f: ", ""),
    "one of two fails": (
        {"test_f.py": PASSES + "\n\ndef test_g():\n    assert f(2) == 5\n"}, [1, 2], "test_f.py::test_g: ", ""
    ),
    "no test in the file": ({"test_f.py": "from mod import f\n"}, [1], "there is no test in them", "--python"),
    "tests that do not call it": (
        {"test_f.py": "from mod import f\n\n\ndef test_f():\n    assert f\n"}, [1], "", "--tests"
    ),
}  # fmt: skip
"""Files, the numbers of the line, how its cause begins, and the option that helps."""


@pytest.mark.full
@pytest.mark.parametrize("name", SUITES)
def test_why_tests_count_for_nothing(name: str, tmp_path: Path) -> None:
    require_sandbox()
    files, numbers, cause, option = SUITES[name]
    for path, text in {"mod.py": "def f(n):\n    return n * 2\n", "pyproject.toml": "", **files}.items():
        (tmp_path / path).write_text(text)
    with open_harness(read_function(tmp_path / "mod.py", "f"), open_with) as harness:
        found = tests.find(Ask(harness)).diagnostics[0]
    assert [int(number) for number in re.findall(r"\d+", found.message)] == numbers
    assert found.cause.startswith(cause)
    assert found.hint.startswith(option)


def test_why_doctests_and_hints_give_nothing(tmp_path: Path) -> None:
    require_sandbox()
    path = tmp_path / "mod.py"
    path.write_text('import nowhere_to_be_found\n\n\ndef f(n, m=1):\n    """>>> f(1)"""\n    return n\n')
    with open_harness(read_function(path, "f"), open_with) as harness:
        (doctest,) = doctests.find(Ask(harness)).diagnostics
        (hint,) = hints.find(Ask(harness)).diagnostics
    assert doctest.words.startswith("the doctests did not run: ModuleNotFoundError: No module named 'nowhere")
    said = "no calls could be generated from type hints: n has no type hint (type hints, --calls FILE)"
    assert hint.words.startswith(said)


def test_of_several_tests() -> None:
    found = SuiteRun(("a",), {"t.py": "E", "t.py::a": "F", "t.py::b": "G"}, (), (), "")
    assert found.shortfall(2) == Diagnostic(
        "2 of 3 tests fail on the original, 1 test file cannot be loaded and count for nothing", "t.py: E"
    )
    assert replace(found, failed={}, skipped={"t.py": "no"}).shortfall(1) is None


PLAIN = "CALLS = [(([1, 2, 3, n],), {}) for n in range(12)]\n"
WHOLE = """\
class Row(list):
    def __init__(self, first):
        super().__init__([first, 1])
CALLS = [((Row(n),), {}) for n in range(12)]
"""


@pytest.mark.full
@pytest.mark.parametrize(("calls", "said"), [(PLAIN, []), (WHOLE, ["only 0 calls generated"])])
def test_few_generated_calls_are_reported_and_hints_only_then(tmp_path: Path, calls: str, said: list[str]) -> None:
    (tmp_path / "mod.py").write_text("def f(rows):\n    return sum(rows)\n")
    (tmp_path / "calls.py").write_text(calls)
    with function_judge(Target(tmp_path / "mod.py", "f"), calls=tmp_path / "calls.py", timed=False) as judge:
        gaps = [each.message for each in judge.workload.evidence().gaps]
    assert gaps == said
