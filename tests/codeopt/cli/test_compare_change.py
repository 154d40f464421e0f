"""The table of `codeopt compare --base`: what differs on unusual input, and what could not be run, is on the screen."""

from __future__ import annotations

from codeopt.cli.compare_several import change_table
from codeopt.cli.comparison_table import table as table_of_pair
from codeopt.core.errors import Diagnostic
from codeopt.core.evidence import WorkloadEvidence
from codeopt.core.words import Speedup
from codeopt.engine.compare import PairResult
from codeopt.report.verdict import Verdict
from codeopt.review.suggestion import ComparedFunction
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.outcome import Caveat, CaveatKind
from codeopt_sandbox.sequential_test import LimitAnswer, LimitTest

GAP = Diagnostic("1 test file cannot be loaded", "tests/test_a.py")
CAVEATS = tuple(Caveat(CaveatKind.INPUT, f"f({n})", f"returns {n}", "returns 0") for n in range(4))


def test_gaps_are_told_once_and_caveats_at_their_function() -> None:
    evidence = WorkloadEvidence(gaps=(GAP,))
    one = ComparedFunction("shop.py", "one", PairResult(Verdict(Decision.SAME, caveats=CAVEATS, evidence=evidence)))
    two = ComparedFunction("shop.py", "two", PairResult(Verdict(Decision.SAME, evidence=evidence)))
    lines = change_table([one, two], "main").splitlines()
    assert [line.strip() for line in lines if GAP.message in line] == [GAP.words]
    at = next(at for at, line in enumerate(lines) if "shop.py::two" in line)
    assert [each.words in "\n".join(lines[:at]) for each in CAVEATS] == [True, True, False, False]
    assert "2 more caveats" in lines[at - 1]


def test_a_wrong_call_has_the_name_of_the_function() -> None:
    found = PairResult(Verdict(Decision.WRONG, "f([1, 1]): expected returns [1, 1], got returns [1]"))
    assert table_of_pair(found, "new.py::kept").startswith("wrong result: kept([1, 1]): expected ")
    assert table_of_pair(found, "new.py").startswith("wrong result: f([1, 1]): expected ")
    assert change_table([ComparedFunction("new.py", "kept", found)], "main").splitlines() == [
        "1 changed function against main: 1 wrong result",
        "  new.py::kept  wrong result: kept([1, 1]): expected returns [1, 1], got returns",
        "                [1]",
    ]


def test_the_worst_comes_first_with_its_times() -> None:
    def timed(decision: Decision, ratio: float, limit: LimitAnswer) -> PairResult:
        pairs = Comparison(decision, ratio, ratio * 0.97, ratio * 1.03, 9, "cpu", 0.95, 0.01, "", ())
        return PairResult(Verdict(decision, speedup=Speedup.of(pairs), limit=LimitTest(0.05, limit, 0.01, 9)))

    wrong = Verdict(Decision.WRONG, "f(1): expected returns 1, got returns 2")
    rows = [
        ComparedFunction("a.py", "same", timed(Decision.SAME, 1.0, LimitAnswer.PASS)),
        ComparedFunction("a.py", "slow", timed(Decision.SLOWER, 0.8, LimitAnswer.FAIL)),
        ComparedFunction("a.py", "wrong", PairResult(wrong)),
    ]
    assert change_table(rows, "main").splitlines() == [
        "FAIL: 1 of 3 changed functions over the limit of 5% more time than main",
        "                     CPU time  result (95% CI)",
        "  ?     a.py::wrong  wrong result: wrong(1): expected returns 1, got returns 2",
        "  FAIL  a.py::slow             1.25x slower (1.21x to 1.29x)",
        "    the limit of 5% is broken (error at most 1%, 9 pairs)",
        "  PASS  a.py::same             no measurable difference",
    ]
