"""The judge step by step, with scripted runs: its requests, and its verdicts on the answers. No clock decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.core.history import Candidate, Draft, History
from codeopt.core.revision import Revision
from codeopt.core.run_clock import DeadlineReached, RunClock
from codeopt.engine import guards
from codeopt.engine.guards import Consequence, Finding, Gain, guard
from codeopt.engine.judge import MAX_FAILURES, PAIRS_SHARE, Judge, is_same_program
from codeopt.workloads import Stage
from codeopt.workloads._protocol import Checked
from codeopt_sandbox.compare import MIN_PAIRS_ANY_TIME, Decision, Plan, StoppingRule
from codeopt_sandbox.guest.request import CONFIRMING, Environment
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, CaveatKind, Run
from tests.support.candidates import comparison, outcome
from tests.support.scripted import CASES, FAST, UNSEEN, Asked, ScriptedRunner, ScriptedWorkload, echo

TRIMMED = "x = 4\n"


def judge_of(gives: Callable[[Asked], Run] | None = None, strict: bool = False, **other: Any) -> Judge:
    """A judge of SLOW, whose runs are scripted."""
    workload: Any = ScriptedWorkload(ScriptedRunner(gives or echo()), **other)
    return Judge(workload, profiled=False, strict=strict)


def measured(judge: Judge, source: str = FAST, **draft: Any) -> Candidate:
    return judge.measure(Draft(Revision.of(source), "a try", **draft), History((judge.original,)))


def asked(judge: Judge) -> list[Asked]:
    """Runs of the draft that were asked for."""
    runner: Any = judge.workload.runner
    return [each for each in runner.asked if each.program == FAST]


def wrong_on(*inputs: bytes, environment: Environment | None = None) -> Callable[[Asked], Run]:
    """FAST is wrong on these inputs; in one environment alone, where one is named."""

    def gives(each: Asked) -> Run:
        right = echo()(each)
        here = each.program == FAST and each.stdin in inputs and environment in (None, each.environment)
        return replace(right, stdout=b"wrong") if here else right

    return gives


def test_a_round_is_screened_and_a_confirmation_has_the_full_error_rate() -> None:
    judge = judge_of()
    found = measured(judge)
    confirmed = judge.confirm(found)
    timed = judge.time(judge.check(Revision.of(FAST), "a person's"))
    assert found.comparison
    assert confirmed.comparison
    assert timed.comparison
    assert (found.comparison.alpha, found.comparison.confidence) == (0.05, 0.95)
    for each in (confirmed.comparison, timed.comparison):
        assert (each.alpha, each.confidence) == (0.01, 0.95)
    assert confirmed.faster


@dataclass(frozen=True)
class Trimming(ScriptedWorkload):
    """Trims FAST to a program of its own."""

    def trimmed(self, candidate: Candidate) -> Candidate:
        return replace(candidate, revision=Revision.of(TRIMMED))


def test_a_confirmation_runs_unseen_cases_in_their_environment_and_no_known_one_again() -> None:
    judge = judge_of()
    found = measured(judge)
    before = len(asked(judge))
    confirmed = judge.confirm(found)
    new = [(each.stdin, each.environment) for each in asked(judge)[before:] if each.mode == "exec"]
    assert (b"3\n", CONFIRMING) in new
    assert not [stdin for stdin, environment in new if stdin == b"2\n"]
    assert [each.case for each in confirmed.outcomes] == ["a", "b", "new"]


def test_a_candidate_that_was_trimmed_is_run_on_the_known_cases_too() -> None:
    def gives(each: Asked) -> Run:
        wrong = each.program == TRIMMED and each.stdin == b"2\n"
        return replace(echo()(each), stdout=b"wrong") if wrong else echo()(each)

    judge = Judge(Trimming(ScriptedRunner(gives)))
    found = measured(judge)
    assert found.faster
    confirmed = judge.confirm(found)
    assert confirmed.revision == Revision.of(TRIMMED)
    assert not confirmed.correct


@dataclass(frozen=True)
class Late(ScriptedWorkload):
    """The clock ends its trimming."""

    def trimmed(self, candidate: Candidate) -> Candidate:
        raise DeadlineReached


def test_a_candidate_that_there_is_no_time_to_trim_is_confirmed_as_it_is() -> None:
    judge = Judge(Late(ScriptedRunner(echo())), spare=RunClock(100.0).spare)
    found = measured(judge)
    confirmed = judge.confirm(found)
    assert confirmed.revision == found.revision
    assert confirmed.faster


@pytest.mark.parametrize(
    "gives",
    [wrong_on(b"3\n"), wrong_on(b"3\n", environment=CONFIRMING)],
    ids=["an unseen case", "an unseen case, in its environment"],
)
def test_what_is_wrong_there_alone_is_neither_confirmed_nor_checked(gives: Callable[[Asked], Run]) -> None:
    judge = judge_of(gives)
    found = measured(judge)
    assert found.faster
    assert not judge.confirm(found).correct
    assert not judge.check(Revision.of(FAST), "a person's").correct


def test_the_order_within_pairs_is_another_one_when_a_draft_is_confirmed() -> None:
    judge = judge_of()
    runner: Any = judge.workload.runner

    def order() -> list[str]:
        pairs = [each.program for each in runner.asked if each.mode == "fork"][:12]
        runner.asked.clear()
        return pairs

    same = []
    for number in (1, 2, 3):
        found = replace(measured(judge), round=number)
        runner.asked.clear()
        judge.time(replace(found, comparison=None))
        first = order()
        judge.confirm(found)
        same.append(first == order())
    assert not all(same)


def test_a_confirmation_keeps_caveats_but_those_of_speed() -> None:
    judge = judge_of()
    told = tuple(Caveat(subject, "x", "", "") for subject in (CaveatKind.SPEED, CaveatKind.INPUT))
    confirmed = judge.confirm(replace(measured(judge), checked=told))
    assert [each.kind for each in confirmed.checked] == [CaveatKind.INPUT]


def test_a_draft_is_given_up_after_two_failures_and_the_first_is_explained() -> None:
    cases = tuple(Case(str(number), b"%d\n" % number, b"%d\n" % number) for number in range(5))
    judge = judge_of(wrong_on(*(case.stdin for case in cases)), suite=replace(judge_of().suite, cases=cases))
    found = measured(judge)
    assert len(found.outcomes) == MAX_FAILURES == 2
    assert [each.detail.startswith("explained: ") for each in found.outcomes] == [True, False]
    assert found.comparison is None
    assert len(judge.known(Revision.of(FAST), "").outcomes) == 1


@pytest.mark.parametrize("stage", [Stage.ROUND, Stage.REFERENCE, Stage.CONFIRMATION])
def test_what_the_workload_finds_counts(stage: Stage) -> None:
    wrong = outcome(CASES[0], CaseVerdict.WA)
    for found, correct in ((Checked(rejection="a test fails"), False), (Checked((wrong,)), False), (Checked(), True)):
        judge = judge_of(found=found)
        workload: Any = judge.workload
        if stage is Stage.ROUND:
            candidate = measured(judge)
        elif stage is Stage.REFERENCE:
            candidate = judge.check(Revision.of(FAST), "")
        else:
            candidate = judge.confirm(replace(judge.original, round=1, revision=Revision.of(FAST)))
        assert candidate.correct is correct
        assert candidate.rejection == found.rejection
        assert stage in workload.stages


def takes_memory(each: Asked) -> Run:
    peak = (10 + 100 * (each.program == FAST)) << 20
    return replace(echo()(each), peak_bytes=peak)


def test_strictly_a_caveat_of_a_guard_or_of_the_workload_rejects() -> None:
    caveat = Caveat(CaveatKind.INPUT, "-1", "prints 1", "prints 2")
    for strict in (False, True):
        by_guard = judge_of(takes_memory, strict=strict)
        found = by_guard.time(by_guard.check(Revision.of(FAST), ""))
        assert [each.kind for each in found.caveats] == [CaveatKind.MEMORY]
        assert found.rejection.startswith("--strict: ") is strict
        assert found.faster is not strict
        by_workload = judge_of(strict=strict, found=Checked(caveats=(caveat,)))
        assert by_workload.check(Revision.of(FAST), "").rejection.startswith("--strict: ") is strict


def test_a_wrong_draft_is_rejected_for_that_and_not_by_strict() -> None:
    caveat = Caveat(CaveatKind.INPUT, "-1", "prints 1", "prints 2")
    judge = judge_of(strict=True, found=Checked((outcome(CASES[0], CaseVerdict.WA),), caveats=(caveat,)))
    assert judge.check(Revision.of(FAST), "").rejection == ""


def test_pairs_take_four_fifths_of_the_time_that_is_left_and_no_more_than_the_rule_says() -> None:
    judge = judge_of()
    rule = judge.workload.rule
    for left, seconds in ((None, 30.0), (10.0, 8.0), (1000.0, 30.0)):
        assert replace(judge, time_left=lambda left=left: left)._in_time(rule).max_seconds == seconds
    assert PAIRS_SHARE < 1  # guards come after the pairs


def test_what_is_wrong_when_it_is_timed_is_not_measured_by_another_clock() -> None:
    def late(each: Asked) -> Run:
        right = echo()(each)
        return replace(right, stdout=b"wrong") if each.program == FAST and each.mode == "fork" else right

    found = measured(replace(judge_of(late), second="memory"))
    assert found.comparison
    assert found.comparison.decision is Decision.WRONG
    assert found.second is None
    assert measured(replace(judge_of(), second="memory")).second


def test_outcomes_of_a_draft_that_was_screened_stand_for_the_same_one_alone() -> None:
    judge = judge_of()
    screened = replace(judge.original, round=1, revision=Revision.of(FAST), ablation=(("a", 1.0),))
    for earlier, cases_run in ((screened, 0), (replace(screened, rejection="no"), 2),
                               (replace(screened, revision=Revision.of("x = 3\n")), 2)):  # fmt: skip
        runner: Any = judge.workload.runner
        runner.asked.clear()
        history = History((judge.original, earlier))
        found = judge.screen(Draft(Revision.of(FAST), "a try"), history)
        assert found.correct
        assert len(asked(judge)) == cases_run


def test_a_program_of_several_files_is_the_same_where_each_file_is() -> None:
    one = Revision({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    assert is_same_program(one, Revision({"a.py": "x = 1  # one\n", "b.py": "y=1\n"}))
    assert not is_same_program(one, Revision({"a.py": "x = 1  # one\n", "b.py": "y = 2\n"}))
    assert not is_same_program(one, Revision({"a.py": "x = 1\n"}))


def test_a_second_draft_of_the_same_text_is_not_run() -> None:
    judge = judge_of()
    first = measured(judge)
    again = judge.measure(Draft(Revision.of(FAST + "# again\n"), ""), History((judge.original, first)))
    assert again.rejection == "the same program as round 1, but for comments and layout"
    assert again.outcomes == ()


def test_a_faster_draft_is_compared_with_the_best_before_it_where_that_is_asked_for() -> None:
    judge = judge_of()
    first = measured(judge)
    history = History((judge.original, first))
    draft = Draft(Revision.of("x = 3\n"), "another")
    assert judge.measure(draft, history).against_best is None
    found = replace(judge, ranked=True).measure(draft, history)
    assert found.against_best
    assert found.against_best.round == first.round
    slower = replace(judge_of(echo(slow=0.1)), ranked=True)
    assert slower.measure(draft, history).against_best is None


def test_what_knows_the_cases_is_fast_and_not_faster() -> None:
    """The gain is there on the case that it has met, and on no other."""

    def gives(each: Asked) -> Run:
        seconds = 0.2 if each.program == FAST and each.stdin == b"1\n" and each.mode == "fork" else 0.4
        return replace(echo()(each), cpu_s=seconds, wall_s=seconds)

    similar = tuple(Case(f"like {number}", b"%d\n" % number) for number in range(10, 20))
    judge = judge_of(gives, plan=Plan(CASES[:1], "cpu", 1), similar=similar, unseen=UNSEEN)
    found = judge.time(judge.check(Revision.of(FAST), ""))
    assert found.comparison
    assert found.comparison.decision is Decision.FASTER
    assert "it knows the cases" in found.rejection
    assert not found.faster


def test_a_gain_in_the_first_run_on_a_new_input_is_not_looked_for_again() -> None:
    """The first pair of a confirmation meets a fresh guest; pairs of a known case, and several runs in one, do not."""
    for timed, repeats, again in ((UNSEEN[:1], 1, False), (CASES[:1], 1, True), (UNSEEN[:1], 2, True)):
        judge = judge_of(plan=Plan(timed, "cpu", repeats), unseen=UNSEEN)
        found = judge.confirm(measured(judge))
        runner: Any = judge.workload.runner
        assert found.faster
        assert (runner.restarts == 2) is not again  # the two guests of the pairs


def test_a_loss_in_the_first_run_on_a_new_input_is_looked_for_elsewhere() -> None:
    """Fast from its second run on, as what remembers: no other input shows the gain either."""
    runs: list[Asked] = []

    def gives(each: Asked) -> Run:
        runs.extend([each] if each.program == FAST and each.mode == "fork" else [])
        first = [at.stdin for at in runs].count(each.stdin) < 2 or each.stdin != UNSEEN[0].stdin
        return echo(fast=0.4 if first else 0.2)(each)

    judge = judge_of(gives, plan=Plan(UNSEEN[:1], "cpu", 1), unseen=(), similar=CASES)
    found = judge.confirm(replace(judge.original, round=1, revision=Revision.of(FAST)))
    assert found.comparison
    assert found.comparison.decision is Decision.FASTER
    assert "it knows the cases" in found.rejection


@pytest.mark.parametrize("step", ["a round", "a person's program", "a confirmation"])
@pytest.mark.parametrize("consequence", Consequence)
def test_guards_have_their_say_at_each_step(
    consequence: Consequence, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    @guard(every_round=True)
    def check_gain(gain: Gain) -> Finding:
        told = (Caveat(CaveatKind.INPUT, "-1", "prints 1", "prints 2"),) if consequence is Consequence.CAVEAT else ()
        return Finding(consequence, "a guard's word", caveats=told)

    judge = judge_of()
    earlier = measured(judge)
    monkeypatch.setattr(guards, "_guards", lambda verb, *more: [check_gain] if verb == check_gain.verb else [])
    if step == "a round":
        found = measured(judge)
    elif step == "a confirmation":
        found = judge.confirm(earlier)
    else:
        found = judge.time(judge.check(Revision.of(FAST), ""))
    assert found.comparison
    assert found.rejection == ("a guard's word" if consequence is Consequence.REJECT else "")
    assert found.notes == (("a guard's word",) if consequence is Consequence.NOTE else ())
    assert bool(found.caveats) is (consequence is Consequence.CAVEAT)
    assert (found.comparison.decision is Decision.SAME) is (consequence is Consequence.NO_GAIN)
    assert found.faster is (consequence in (Consequence.NOTE, Consequence.CAVEAT))


def test_a_draft_that_is_wrong_in_one_of_many_runs_is_wrong() -> None:
    """Right on each case, in each timed run, and wrong when it is run often."""
    count = {"runs": 0}

    def gives(each: Asked) -> Run:
        if each.program == FAST and each.mode == "fork":
            count["runs"] += 1
        bad = count["runs"] in (30, 31)
        return replace(echo()(each), stdout=b"wrong") if each.program == FAST and bad else echo()(each)

    judge = judge_of(gives)
    found = judge.time(judge.check(Revision.of(FAST), ""))
    assert count["runs"] >= 30
    assert not found.correct
    assert not found.faster


@pytest.mark.parametrize(
    ("decision", "ci_high", "told"),
    [
        (Decision.FASTER, 2.2, Decision.SAME),
        (Decision.SAME, 1.02, Decision.SAME),
        (Decision.INCONCLUSIVE, 0.98, Decision.SLOWER),
        (Decision.SAME, 0.99, Decision.SLOWER),
        (Decision.SLOWER, 0.9, Decision.SLOWER),
        (Decision.SLOWER, 1.0, Decision.SLOWER),
    ],
)
def test_what_is_no_gain_is_never_the_same_where_it_is_slower(
    decision: Decision, ci_high: float, told: Decision
) -> None:
    """A guard may refuse a gain; it does not make a slower draft as fast."""
    found = replace(comparison(decision, 0.9), ci_high=ci_high).without_gain("it remembers")
    assert (found.decision, found.reason) == (told, "it remembers")


THIRD = "x = 3\n"


def test_a_best_draft_that_fails_when_another_is_compared_with_it_ends_nothing() -> None:
    failing = {"on": False}

    def gives(each: Asked) -> Run:
        wrong = failing["on"] and each.program == FAST and each.mode == "fork"
        return replace(echo()(each), stdout=b"wrong") if wrong else echo()(each)

    judge = replace(judge_of(gives), ranked=True)
    first = measured(judge)
    failing["on"] = True
    found = judge.measure(Draft(Revision.of(THIRD), "another"), History((judge.original, first)))
    assert found.faster
    assert found.against_best is None


def test_which_of_two_drafts_to_go_on_from_is_decided_sooner_than_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run takes a second of a scripted clock, and ten are there for that; the rule itself has thirty."""

    def gives(each: Asked) -> Run:
        uneven = (1.5 if len(runner.asked) % 4 < 2 else 1 / 1.5) if each.program == THIRD else 1.0
        right = echo(slow=2.0)(each)
        return replace(right, cpu_s=right.cpu_s * uneven, wall_s=right.wall_s * uneven)

    judge = replace(judge_of(gives, rule=StoppingRule(worth_having=1.0001)), ranked=True)
    runner: Any = judge.workload.runner
    first = measured(judge)
    monkeypatch.setattr("codeopt_sandbox.compare.time", SimpleNamespace(monotonic=lambda: float(len(runner.asked))))
    found = judge.measure(Draft(Revision.of(THIRD), "another"), History((judge.original, first)))
    assert found.against_best
    assert found.against_best.comparison.pairs == MIN_PAIRS_ANY_TIME


def test_the_other_measure_is_that_which_was_asked_for() -> None:
    found = measured(replace(judge_of(), second="memory"))
    assert found.comparison
    assert found.second
    assert (found.comparison.metric, found.second.metric) == ("cpu", "memory")


@dataclass(frozen=True)
class _Profiled(ScriptedWorkload):
    """Keeps what is profiled."""

    asked_profiles: list[str] = field(default_factory=list)

    def profile(self, draft: Revision) -> None:
        self.asked_profiles.append(draft.text)


def test_only_a_draft_that_is_right_is_profiled(monkeypatch: pytest.MonkeyPatch) -> None:
    @guard(every_round=True)
    def check_gain(gain: Gain) -> Finding | None:
        return Finding(Consequence.REJECT, "no") if gain.draft.text == THIRD else None

    monkeypatch.setattr(guards, "_guards", lambda verb, *more: [check_gain] if verb == check_gain.verb else [])
    workload: Any = _Profiled(ScriptedRunner(echo()))
    judge = Judge(workload)
    assert measured(judge).correct
    assert not measured(judge, THIRD).correct
    assert workload.asked_profiles == [FAST]
