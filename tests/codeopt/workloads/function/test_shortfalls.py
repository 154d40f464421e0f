"""Each way in which tests, doctests, hints or a profile give nothing is named: made to fail here, one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.errors import Diagnostic
from codeopt.core.evidence import CallEvidence
from codeopt.core.program import Target
from codeopt.workloads.function.corpus.existing_tests import Tests as SuiteRun
from codeopt.workloads.function.corpus.sources import Ask, collect, guess
from codeopt.workloads.function.harness import open_harness
from codeopt.workloads.source.functions import read_function
from tests.conftest import require_sandbox
from tests.support.judges import function_judge, open_with, write_project


def test_why_doctests_and_hints_give_nothing(tmp_path: Path) -> None:
    require_sandbox()
    path = tmp_path / "mod.py"
    path.write_text('import nowhere_to_be_found\n\n\ndef f(n, m=1):\n    """>>> f(1)"""\n    return n\n')
    with open_harness(read_function(path, "f"), open_with) as harness:
        (doctest,) = collect(Ask(harness, use_tests=False)).diagnostics
        _, (hint,) = guess(Ask(harness), {})
    assert doctest.words.startswith("the doctests did not run: ModuleNotFoundError: No module named 'nowhere")
    said = "no calls could be generated from type hints: n has no type hint (type hints, --calls FILE)"
    assert hint.words.startswith(said)


def test_of_several_tests() -> None:
    found = SuiteRun(("a",), {"t.py": "E", "t.py::a": "F", "t.py::b": "G"})
    assert found.shortfall(2) == Diagnostic(
        "2 of 3 tests fail on the original, 1 test file cannot be loaded and count for nothing", "t.py: E"
    )
    assert replace(found, failed={}, skipped={"t.py": "no"}).shortfall(1) is None


@pytest.mark.parametrize("sandbox", ["bubblewrap", "process"])
def test_named_tests_run(tmp_path: Path, sandbox: str) -> None:
    tests = "import pytest\nfrom m import f\n@pytest.mark.parametrize('n', range(20))\ndef test(n): f([n])\n"
    root = write_project(tmp_path / "p", "m.py", "def f(xs):\n    return sorted(xs)\n", tests)
    with function_judge(Target(root / "m.py", "f"), timed=False, sandbox=sandbox, tests=(root / "tests",)) as judge:
        checked = judge.workload.evidence().checked
    assert isinstance(checked, CallEvidence)
    assert checked.sources["tests"] > 10
