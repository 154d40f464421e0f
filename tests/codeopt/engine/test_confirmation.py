"""Which candidate a run ends with: each that deserves it is confirmed anew, and believed by its new figures alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from codeopt.core.history import Candidate, Critique, Draft, History, Proposer
from codeopt.core.model import Budget, Effort, Ledger, Usage
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup
from codeopt.engine.judge import Judge, answered
from codeopt.engine.loop import CONFIRMATION_SHARES, NOT_CONFIRMED, Ending, RefineLoop, SearchPlan
from codeopt.report.verdict import Verdict
from codeopt.tasks import open_task
from codeopt.workloads import Stage
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.source.literals import read
from codeopt_sandbox.compare import Decision, StoppingRule
from codeopt_sandbox.guest.answer import Answer
from codeopt_sandbox.outcome import Run
from codeopt_sandbox.sequential_test import LimitAnswer, LimitRule, LimitTest
from tests.support.candidates import comparison, original, right, run, wrong
from tests.support.scripted import CASES, FAST, SLOW, UNSEEN, Asked, Gives, ScriptedRunner, ScriptedWorkload, echo


class Says(Judge):
    """A judge whose confirmations are scripted; each is counted."""

    def __init__(self, confirms: Callable[[Candidate], Candidate]) -> None:
        workload: Any = ScriptedWorkload(ScriptedRunner(echo()))
        super().__init__(workload)
        object.__setattr__(self, "confirms", confirms)
        object.__setattr__(self, "asked", [])
        object.__setattr__(self, "shares", [])

    def confirm(self, candidate: Candidate, share: float = 1.0) -> Candidate:
        """Scripted confirmation."""
        self.__dict__["asked"].append(candidate.round)
        self.__dict__["shares"].append(share)
        found: Candidate = self.__dict__["confirms"](candidate)
        return found


class Silent:
    """Prefers nothing."""

    name = "nobody"

    def preferred(self, history: History) -> None:
        """Return no preference."""


def loop(judge: Judge, *candidates: Candidate, reader: Any = None) -> RefineLoop:
    proposer: Proposer = Silent()  # type: ignore[assignment]
    history = History((original(), *candidates))
    return RefineLoop(
        proposer,
        open_task("runtime"),
        judge,
        Budget(),
        history,
        Ledger(),
        ask_reader=reader,
        ending=Ending(finished=True),
    )


DRAFTS = [right(number, f"x = {number}\n", ratio=5.0 - number) for number in range(1, 5)]
UNCONFIRMED = [
    lambda c: replace(c, comparison=comparison(Decision.SAME, 1.0)),
    lambda c: replace(c, comparison=comparison(Decision.INCONCLUSIVE, 3.0)),
    lambda c: replace(c, comparison=comparison(ratio=1.01)),  # less than is worth having
    lambda c: replace(c, comparison=None),
    lambda c: replace(c, outcomes=()),
    lambda c: replace(c, outcomes=wrong().outcomes),
    lambda c: replace(c, rejection="a guard says no"),
]


def test_the_best_is_confirmed_first_and_believed_by_its_new_figures() -> None:
    judge = Says(lambda c: replace(c, comparison=comparison(ratio=1.5)))
    found = loop(judge, *DRAFTS).confirm()
    assert found.best
    assert found.best.round == 1
    assert found.best.comparison
    assert found.best.comparison.ratio == 1.5
    assert judge.__dict__["asked"] == [1]


@pytest.mark.parametrize("confirms", UNCONFIRMED, ids=range(len(UNCONFIRMED)))
def test_what_is_not_confirmed_is_not_believed_and_after_three_none_is(
    confirms: Callable[[Candidate], Candidate],
) -> None:
    judge = Says(confirms)
    found = loop(judge, *DRAFTS).confirm()
    assert found.best is None
    assert judge.__dict__["asked"] == [1, 2, 3]
    assert len(CONFIRMATION_SHARES) == 3
    assert sum(judge.__dict__["shares"]) == pytest.approx(1.0)  # three chances to err have one error together
    assert found.reason.startswith("round 3 was not confirmed: ")


def test_quick_takes_the_best_as_it_was_timed_and_says_so() -> None:
    judge = Says(lambda c: replace(c, rejection="no"))
    found = loop(judge, *DRAFTS).screened()
    assert found.best
    assert (found.best.round, found.best.comparison) == (1, DRAFTS[0].comparison)
    assert found.best.caveats == (NOT_CONFIRMED,)
    assert judge.__dict__["asked"] == []
    assert loop(judge).screened().best is None


def test_the_next_best_takes_the_place_of_one_that_is_not_confirmed() -> None:
    judge = Says(lambda c: replace(c, rejection="no") if c.round == 1 else c)
    found = loop(judge, *DRAFTS).confirm()
    assert found.best
    assert found.best.round == 2


def test_time_is_left_for_the_fewest_pairs_that_decide_by_what_they_took_in_the_round() -> None:
    reserved: list[float] = []
    drafts = [replace(right(1), effort=Effort(cases_s=10.0, timing_s=20.0))]
    judge = Says(lambda c: reserved.append(asks.clock.reserved) or c)  # type: ignore[func-returns-value]
    asks = loop(judge, *drafts)
    asks.confirm()
    pairs, fewest = comparison().pairs, judge.workload.rule.final(CONFIRMATION_SHARES[0]).fewest
    assert reserved == [pytest.approx(3.0 * (10.0 + 20.0 * fewest / pairs))]


def test_what_asking_a_reader_costs_is_counted() -> None:
    asks = loop(Says(lambda c: c), *DRAFTS, reader=lambda draft, original: replace(draft, usage=Usage(2, 10, 20, 0.5)))
    assert asks.confirm().best
    assert (asks.ledger.usage.replies, asks.ledger.usage.tokens, asks.ledger.usage.cost_usd) == (2, 30, 0.5)


@pytest.mark.parametrize("draft", [wrong(1), right(1, decision=Decision.SAME), right(1, decision=Decision.SLOWER)])
def test_what_was_not_faster_in_its_round_is_not_even_asked(draft: Candidate) -> None:
    judge = Says(lambda c: right())
    assert loop(judge, draft).confirm().best is None
    assert judge.__dict__["asked"] == []


@pytest.mark.parametrize(
    ("bound", "answer", "status"),
    [
        (1 / 1.51, LimitAnswer.FAIL, 1),
        (1 / 1.49, LimitAnswer.INCONCLUSIVE, 5),
        (0.6, LimitAnswer.FAIL, 1),  # 1.67x the time
    ],
)
def test_slower_by_half_is_half_as_much_time_again(bound: float, answer: LimitAnswer, status: int) -> None:
    """Not half the speed: 1.5 times the time is a ratio of 0.67."""
    found = Verdict(Decision.SLOWER, speedup=Speedup(bound, None, bound, 0, "wall"))
    limit = answered(0.5, found)
    assert limit is not None
    assert limit.answer is answer
    assert replace(found, limit=limit).exit_status == status
    assert math.isclose(LimitRule(0.5).centre, math.log(1 / 1.5))


@pytest.mark.parametrize(
    ("answer", "status"), [(LimitAnswer.PASS, 0), (LimitAnswer.FAIL, 1), (LimitAnswer.INCONCLUSIVE, 5)]
)
def test_whatever_is_slow_does_not_fail(answer: LimitAnswer, status: int) -> None:
    found = Verdict(Decision.SLOWER, speedup=Speedup.of(comparison(ratio=0.5)))
    assert replace(found, limit=LimitTest(0.5, answer, 0.01, 9)).exit_status == status
    assert found.exit_status == 0


class Drafts:
    """Proposes texts in turn, until one is right."""

    name = "drafts"

    def __init__(self, *texts: str, last: bool = True) -> None:
        self.drafts = [Draft(Revision.of(text), text, last=last) for text in texts]

    def critique(self, history: History) -> Critique:
        """Nothing is left after a right draft, or the last one."""
        tried = history.candidates[1:]
        ends = any(each.correct for each in tried) or len(tried) == len(self.drafts)
        return Critique("", sufficient=ends, exhausted=ends)

    def refine(self, history: History) -> Draft:
        """The next draft."""
        return self.drafts[len(history.candidates) - 1]

    def preferred(self, history: History) -> None:
        """Return no preference."""


def run_of(gives: Gives, *texts: str, last: bool = True, quick: bool = False) -> tuple[RefineLoop, ScriptedRunner]:
    """A loop with the real judge, whose programs are scripted."""
    runner = ScriptedRunner(gives)
    workload: Any = ScriptedWorkload(runner)
    judge = Judge(workload, profiled=False)
    proposer: Proposer = Drafts(*texts, last=last)  # type: ignore[assignment]
    history = History((workload.baseline,))
    plan = SearchPlan(floor=False, quick=quick)
    return RefineLoop(proposer, open_task("runtime"), judge, Budget(), history, Ledger(), plan), runner


def pairs_of(runner: ScriptedRunner) -> int:
    """Number of pairs that were timed, on the first case."""
    timed = [asked for asked in runner.asked if asked.mode == "fork" and asked.stdin == CASES[0].stdin]
    return sum(asked.program == SLOW for asked in timed)


def confirmed(loop_: RefineLoop) -> Any:
    """The best draft of a confirmed loop, which was compared."""
    best = loop_.confirm().best
    assert best is not None
    assert best.comparison is not None
    return best


def test_a_draft_after_which_nothing_is_tried_is_confirmed_by_one_comparison() -> None:
    """With the pairs, the error and the checks of a confirmation; another draft is screened before."""
    fewest = StoppingRule().final(CONFIRMATION_SHARES[0]).fewest
    for last, pairs in ((True, fewest), (False, StoppingRule().screening().fewest + fewest)):
        loop_, runner = run_of(echo(), FAST, last=last)
        loop_.run()
        best = confirmed(loop_)
        assert best.comparison.alpha == pytest.approx(0.01 * CONFIRMATION_SHARES[0])
        assert (best.comparison.pairs, pairs_of(runner)) == (fewest, pairs)
        assert best.comparison.guests == 2
        assert [each.case for each in best.outcomes] == ["a", "b", "new"]
        workload: Any = loop_.judge.workload
        assert workload.stages == [Stage.ROUND, Stage.CONFIRMATION]


def test_a_second_confirmation_of_a_run_has_what_the_first_left_of_the_error() -> None:
    """The first is wrong on an input that was never shown; the second is screened, and confirmed at a tenth."""

    def gives(asked: Asked) -> Run:
        failing = asked.program == "x = 3\n" and asked.stdin == UNSEEN[0].stdin
        return run(stdout=b"?") if failing else echo()(asked)

    loop_, _ = run_of(gives, "x = 3\n", FAST)
    loop_.run()
    first, second = loop_.history.candidates[1:]
    assert (first.confirmed, first.correct, second.confirmed) == (True, False, False)
    assert second.comparison
    assert second.comparison.alpha == StoppingRule().screening().alpha
    assert confirmed(loop_).comparison.alpha == pytest.approx(0.01 * CONFIRMATION_SHARES[1])


def test_quick_confirms_no_draft() -> None:
    loop_, runner = run_of(echo(), FAST, quick=True)
    loop_.run()
    assert pairs_of(runner) == StoppingRule().screening().fewest
    best = loop_.screened().best
    assert best is not None
    assert best.caveats == (NOT_CONFIRMED,)


def test_a_confirmation_that_is_ended_is_made_again_when_the_run_goes_on() -> None:
    """None of its pairs counts: the comparison that follows begins with its first."""
    timed: list[Asked] = []

    def gives(asked: Asked) -> Run:
        timed.extend([asked] if asked.mode == "fork" else [])
        if asked.mode == "fork" and len(timed) == 2 * StoppingRule().fewest:  # in the last pair
            raise KeyboardInterrupt
        return echo()(asked)

    loop_, _ = run_of(gives, FAST)
    with pytest.raises(KeyboardInterrupt):
        loop_.run()
    kept = loop_.history.last
    assert (kept.round, kept.correct, kept.comparison, kept.confirmed) == (1, True, None, False)
    assert loop_.confirm().best is None
    loop_.run()
    assert confirmed(loop_).comparison.alpha == pytest.approx(0.01 * CONFIRMATION_SHARES[0])


def calls(count: int, raising: int = 0) -> tuple[KnownCall, ...]:
    outcomes = [Answer("raises" if at < raising else "returns") for at in range(count)]
    return tuple(KnownCall(read(f"f({at})"), outcome, "tests", 0.1) for at, outcome in enumerate(outcomes))


@pytest.mark.parametrize(
    ("count", "raising", "lines", "said"),
    [
        (10, 0, 6, ""),
        (9, 0, 10, "9 comparable calls, at least 10 are needed"),
        (10, 7, 10, ""),
        (10, 8, 10, "nearly every call raises an exception"),
        (10, 0, 5, "the calls run 50% of the function's lines, at least 60% are needed"),
    ],
)
def test_from_how_little_nothing_is_claimed(count: int, raising: int, lines: int, said: str) -> None:
    corpus = CallCorpus(calls(count, raising), lines=tuple(range(10)), lines_run=tuple(range(lines)))
    assert corpus.thin().startswith(said)
    assert bool(corpus.thin()) is bool(said)
