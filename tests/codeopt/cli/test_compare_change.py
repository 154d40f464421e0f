"""The table of `codeopt compare --base`: what differs on unusual input, and what could not be run, is on the screen."""

from __future__ import annotations

from codeopt.cli.compare_several import change_table
from codeopt.core.errors import Diagnostic
from codeopt.core.evidence import WorkloadEvidence
from codeopt.engine.compare import PairResult
from codeopt.report.verdict import Verdict
from codeopt.review.suggestion import ComparedFunction
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Caveat, CaveatKind

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
