"""Which candidate is right, faster, leading: what a search and a confirmation go by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeopt.core.history import AgainstBest, Candidate, History
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict
from tests.support.candidates import comparison, original, outcome, right, wrong


def test_what_was_not_run_is_not_right() -> None:
    assert not replace(right(), outcomes=()).correct
    assert not replace(right(), rejection="no").correct
    assert not replace(right(), outcomes=(outcome(), outcome(verdict=CaseVerdict.WA))).correct
    assert right().correct
    assert not wrong().correct


@pytest.mark.parametrize("decision", [decision for decision in Decision if decision is not Decision.FASTER])
def test_only_what_is_faster_is_faster(decision: Decision) -> None:
    assert right().faster
    assert not right(decision=decision).faster
    assert not replace(right(), comparison=None).faster


def test_the_best_is_the_one_that_leads_whenever_it_came() -> None:
    numbers = [right(1, ratio=2.0), right(2, ratio=3.0), right(3, ratio=2.5)]
    assert History((original(), *numbers)).best == numbers[1]
    assert History((original(), wrong(1), right(2, decision=Decision.SAME, ratio=9.0))).best is None
    unsure = right(1, ratio=4.0, ci_low=1.1, ci_high=9.0)
    assert History((original(), unsure, numbers[1])).best == numbers[1]


def against(decision: Decision, ratio: float, lead: float = 2.0) -> Candidate:
    """Twice as fast as the original by its own pairs, and compared with the best before it, which leads by `lead`."""
    made = comparison(decision, ratio, ci_low=ratio * 0.9, ci_high=ratio * 1.1)
    return replace(right(2, ratio=2.0), against_best=AgainstBest(1, made, lead))


def test_what_lost_against_the_best_does_not_lead_it() -> None:
    assert right(ratio=2.0).lead == pytest.approx(1.8)
    assert against(Decision.SLOWER, 0.5).lead == pytest.approx(2.0 * 0.5 * 1.1)
    assert against(Decision.FASTER, 2.0).lead == pytest.approx(2.0 * 2.0 * 0.9)
    assert against(Decision.SAME, 1.0).lead == pytest.approx(1.8)
    assert against(Decision.SLOWER, 0.99, lead=9.0).lead == pytest.approx(1.8)  # its own pairs say less
    assert against(Decision.FASTER, 1.1, lead=1.0).lead == pytest.approx(1.8)
