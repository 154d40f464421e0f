"""Comparison of original and candidate: which is faster, by how much, with which certainty.

Both run in the same guest, next to each other and in random order. Every timed run is checked also. The test of
codeopt_sandbox.sequential_test is evaluated after every pair. A clear win, a clear loss and a gain that is too small
therefore end early.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import fmean, median
from typing import Literal

from codeopt_sandbox.errors import OriginalUnsteady
from codeopt_sandbox.outcome import Case, CaseVerdict, Cause, Clock, Outcome, P, Run, Runner, choose_clock, run_on
from codeopt_sandbox.sequential_test import (
    PRIOR_SD,
    WITHIN_SHARE,
    LimitAnswer,
    LimitRule,
    LimitTest,
    Side,
    against_limit,
    begins_guest,
    fewest_pairs,
    hodges_lehmann,
    interval,
    is_far,
    looks,
    margin,
    pairs_needed,
    rejects_null,
)
from codeopt_sandbox.verdict import Checker, check_tokens, judge

METHOD = "test martingale on paired log ratios (Hodges-Lehmann estimate, anytime-valid interval)"
MIN_PAIRS_ANY_TIME = 10
"""Pairs that are timed even past `max_seconds`, unless they would take MAX_OVERTIME times as long."""
MAX_OVERTIME = 4
"""Factor on `max_seconds` from which on only as few pairs are timed as can decide at all."""
SIDES: tuple[Side, Side] = (1, -1)


class Decision(StrEnum):
    """Result of a comparison."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"  # no difference worth having
    INCONCLUSIVE = "inconclusive"  # the cap on pairs or seconds came first
    WRONG = "wrong"  # a timed run gave a wrong answer or failed


@dataclass(frozen=True)
class StoppingRule:
    """Stopping rule of a comparison, with its error rates."""

    alpha: float = 0.01
    """Chance of calling an equally fast candidate faster, and as much of calling it slower."""
    futility: float = 0.04
    """Chance of giving up on a candidate that is `worth_having` faster."""
    worth_having: float = 1.05
    interval: float = 0.95
    """Confidence of the reported interval."""
    min_pairs: int = 7
    """Pairs before any decision, but for a ratio of FAR."""
    max_pairs: int = 120
    max_seconds: float = 30.0
    """Time after which no pair is begun, once there are enough pairs for any decision, seconds."""
    pair_seconds: float = 0.02
    """Shorter programs are repeated inside a pair until the original takes this long."""
    metric: Clock | Literal["auto"] = "auto"
    """Clock to compare by. auto: CPU time for programs that compute, wall time for programs that wait."""
    timed_cases: int = 3
    """Most cases that are timed: the longest, and others nearly as long."""
    enough_seconds: float = 0.025
    """... until the original takes this long in all. A program that takes longer is timed on its longest case alone."""
    tolerated: float | None = None
    """Share of time that a candidate may cost, where speed is not the aim: pairs that show that it costs less decide
    SAME. None: pairs go on until a gain is found or given up."""
    limit: LimitRule | None = None
    """Limit on a slowdown, tested with pairs beyond those of the decision. None: none is asked about."""
    seed: int = 0
    """Seed of the order of the programs within pairs."""
    several_guests: bool = False
    """Pairs come from fresh guests, two at least, and what these differ in is allowed for: sequential_test.py."""

    @property
    def within(self) -> float:
        """Share of the error that the pairs may use. The rest is that of the guests."""
        return WITHIN_SHARE if self.several_guests else 1.0

    @property
    def fewest(self) -> int:
        """Return the number of pairs that are always timed, but for a ratio of FAR. No other decision comes before."""
        return max(fewest_pairs(self.alpha * self.within), min(MIN_PAIRS_ANY_TIME, self.min_pairs))

    def final(self, share: float = 1.0) -> StoppingRule:
        """Return a rule for final results: fresh guests, this share of the error, and enough pairs to decide at it."""
        found = replace(self, alpha=self.alpha * share, several_guests=True)
        return replace(found, max_pairs=max(self.max_pairs, fewest_pairs(found.alpha * found.within)))

    def screening(self) -> StoppingRule:
        """A rule for choosing what deserves a confirmation with fresh pairs: a higher error rate, and of a long time a
        part."""
        # maximum time of a screening as a share of a verdict's time, if that is more than its usual limit
        seconds = max(0.25 * self.max_seconds, min(self.max_seconds, StoppingRule.max_seconds))
        return replace(self, alpha=0.05, max_seconds=seconds)


@dataclass(frozen=True)
class CaseTimes:
    """Paired times of one case in the order they were taken: seconds, or bytes when memory is compared.

    One number a pair: of several runs, what `lower_half_mean` makes of them.
    """

    case: str
    original: tuple[float, ...]
    candidate: tuple[float, ...]

    @property
    def before(self) -> float:
        """Median of the original. Raises StatisticsError without a pair."""
        return median(self.original)

    @property
    def after(self) -> float:
        """Median of the candidate. Raises StatisticsError without a pair."""
        return median(self.candidate)

    @property
    def ratio(self) -> float:
        """`before` over `after`."""
        return self.before / max(self.after, 1e-12)


@dataclass(frozen=True)
class Comparison:
    """Candidate against original, with everything needed to check it."""

    decision: Decision
    ratio: float
    """Original time over candidate time: 2.0 is twice as fast."""
    ci_low: float
    ci_high: float
    pairs: int
    metric: Clock
    confidence: float
    """Confidence level of the interval."""
    alpha: float
    """Stated error rate of the decision."""
    method: str
    cases: tuple[CaseTimes, ...]
    reason: str = ""
    """Reason for a rejection, or for an undecided or equal result, for people."""
    overrun: bool = False
    """The candidate was rejected because a run exceeded its time limit."""
    limit: LimitTest | None = None
    """Result of the limit test. None without a limit."""
    guests: int = 1
    """Guests that the pairs come from. Of more than one the interval holds what they differ in."""
    wall_ratios: tuple[float, ...] = ()
    """Ratios of wall time of each pair, original over candidate, for any metric. Empty if unknown."""
    passes: int = 1
    """Passes over the timed calls in each run, all of whose time is in `cases`."""

    @property
    def before(self) -> float | None:
        """Median of the original's pairs, seconds of one pass or bytes. None if nothing was timed."""
        return self._median([case.original for case in self.cases])

    @property
    def after(self) -> float | None:
        """Median of the candidate's pairs, seconds of one pass or bytes. None if nothing was timed."""
        return self._median([case.candidate for case in self.cases])

    def _median(self, amounts: Sequence[Sequence[float]]) -> float | None:
        pairs = [sum(pair) for pair in zip(*amounts, strict=False)]  # the last pair may have ended within
        return median(pairs) / (1 if self.metric == "memory" else self.passes) if pairs else None

    def without_gain(self, reason: str, *, slower: bool = False) -> Comparison:
        """Return the comparison with the decision that there is no gain: no difference, or slower.

        Slower means an interval below 1, or a slowdown that was seen elsewhere. The limit test does not know the
        latter.
        """
        limit = replace(self.limit, answer=LimitAnswer.INCONCLUSIVE) if slower and self.limit else self.limit
        slower = slower or self.decision is Decision.SLOWER or self.ci_high < 1
        return replace(self, decision=Decision.SLOWER if slower else Decision.SAME, reason=reason, limit=limit)


@dataclass(frozen=True)
class Plan:
    """Cases and repetitions of a timing, found once for an original and used for every candidate."""

    cases: tuple[Case, ...]
    """Longest first, each with its expected output."""
    metric: Clock
    repeats: int
    """Runs of each program inside a pair."""
    short: bool = False
    """The original takes so little in a pair that more of it may be asked."""
    longest_s: float = 0.0
    """Longest time of the original on one case, start of the interpreter excluded, seconds."""

    @property
    def longest(self) -> Case:
        """The longest case, whole, also where a part of it is timed."""
        return self.cases[0]

    @property
    def passes(self) -> int:
        """Passes over the timed calls in each run."""
        return 1

    def runs(self, pairs: int) -> int:
        """Runs of each program inside the next pair: on a noisy machine small differences need longer pairs.

        The number depends on nothing in the pair, so the test keeps its error rate.
        """
        # Pairs without a decision after which the runs of a short program are multiplied
        # Factor on the runs inside a pair of a short program that is hard to decide
        return self.repeats * (2 if self.short and pairs >= 8 else 1)


@dataclass
class Series:
    """The pairs of one comparison so far."""

    metric: Clock
    times: dict[str, tuple[list[float], list[float]]] = field(default_factory=dict)
    differences: list[float] = field(default_factory=list)
    """Logarithm of original / candidate for each pair, by `clock`."""
    wall: list[float] = field(default_factory=list)
    """Logarithm of original / candidate for each pair, by wall time."""
    wall_times: dict[str, tuple[list[float], list[float]]] = field(default_factory=dict)
    """Wall times, in the form of `times`."""
    guests: list[int] = field(default_factory=list)
    """The first pair of each fresh guest; empty where all pairs are made in the guest that there was."""
    passes: int = 1
    """Passes over the timed calls in each run."""

    def by_wall(self) -> Series:
        """Return the series with wall time as its metric."""
        return Series("wall", self.wall_times, self.wall, self.wall, self.wall_times, self.guests, self.passes)

    def margin(self, error: float) -> float:
        """Distance from the centre that guests explain, exceeded on one side with a chance of (1 - WITHIN_SHARE) *
        error; 0 where none is begun. Peaks of memory differ by what is seen alone."""
        if not self.guests:
            return 0.0
        return margin(
            self.differences, self.guests, (1 - WITHIN_SHARE) * error, 0.0 if self.metric == "memory" else PRIOR_SD
        )

    @property
    def within(self) -> float:
        """Share of an error that the pairs may use."""
        return WITHIN_SHARE if self.guests else 1.0

    def rejects(self, theta: float, side: Side, error: float, shared_by: float = 1.0) -> bool:
        """Return True if the center is above theta (side 1) or below it (side -1) by more than guests explain.

        The guests' share of the error is divided by `shared_by`. This share falls with each guest, so a difference that
        the first guests showed must persist.
        """
        theta += side * self.margin(error / shared_by)
        return rejects_null(self.differences, theta, side, self.within * error, now=bool(self.guests))

    def _beyond(self, theta: float, side: Side, error: float) -> bool:
        """Test for a difference after every guest up to the last."""
        return self.rejects(theta, side, error, looks(len(self.guests)))

    def side_beyond_guests(self, rule: StoppingRule) -> Side | None:
        """Return the side on which the center differs by more than guests explain, above (1) or below (-1).

        None if it does not differ at the error of the rule.
        """
        return next((side for side in SIDES if self.rejects(0.0, side, rule.alpha)), None)

    def answer(self, limit: LimitRule) -> tuple[LimitAnswer, Clock]:
        """The answer about a limit, and the clock that gives it: what takes no more CPU time may still wait longer."""
        if self.metric != "cpu":
            return against_limit(self._beyond, limit, limit.alpha), self.metric
        wall = self.by_wall()
        by_wall = against_limit(wall._beyond, limit, limit.alpha / 2)
        by_cpu = against_limit(self._beyond, limit, limit.alpha / 2)  # two ways to break it share the error
        longer = by_wall is LimitAnswer.INCONCLUSIVE and hodges_lehmann(wall.differences) < limit.centre
        decides = by_wall is LimitAnswer.FAIL or (by_cpu is LimitAnswer.PASS and longer)
        return (by_wall, "wall") if decides else (by_cpu, "cpu")

    def against(self, limit: LimitRule) -> LimitTest:
        """The answer about a limit with its figures."""
        answer, clock = self.answer(limit)
        unknown = answer is LimitAnswer.INCONCLUSIVE
        apart = self.margin(limit.alpha / looks(len(self.guests)))
        needed = pairs_needed(self.differences, limit, apart) if unknown else None
        return LimitTest(limit.limit, answer, limit.alpha, len(self.differences), needed, clock)


@dataclass(frozen=True)
class PairWatch:
    """What is told of the pairs of a comparison."""

    paired: Callable[[int], None] = lambda pairs: None
    """Receives the number of pairs after each pair."""
    broken: Callable[[Comparison], None] = lambda comparison: None
    """Receives the pairs so far, INCONCLUSIVE, before an error or a signal ends the comparison."""


class _Wrong(Exception):
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def compare(
    sandbox: Runner[P],
    original: P,
    candidate: P,
    cases: Sequence[Case] | Plan,
    *,
    check: Checker = check_tokens,
    rule: StoppingRule | None = None,
    watch: PairWatch | None = None,
) -> Comparison:
    """Time two programs next to each other until the sequential test decides or a limit of `rule` is reached.

    Both run in the same sandbox, in random order, on the longest of the cases. Every timed run is checked.

    Args:
        sandbox: Where both run. It must be idle otherwise.
        original: The program before the change.
        candidate: The program after the change. If it is wrong or fails, the decision is WRONG.
        cases: Inputs, or a plan of `make_plan`. For a case without `expected` the original's output is right.
        check: Compares an output with the expected one.
        rule: Limits and error rate. Defaults to `StoppingRule()`.
        watch: Is told of the pairs.

    Returns:
        Ratio, interval, decision, and the time of each run.

    Raises:
        SandboxError: The sandbox failed.
        OriginalUnsteady: The original fails a case.
        ValueError: There are no cases.
    """
    rule, watch = rule or StoppingRule(), watch or PairWatch()
    sandbox.quiesce()
    plan = cases if isinstance(cases, Plan) else make_plan(sandbox, original, cases, check, rule)
    series = Series(plan.metric, _empty(plan), wall_times=_empty(plan), passes=plan.passes)
    draw = random.Random(rule.seed)
    started = time.monotonic()
    decision, reason = Decision.INCONCLUSIVE, ""
    try:
        while (decision is Decision.INCONCLUSIVE and not (reason := _spent(series, rule, started))) or (
            rule.limit is not None and _asks_more(series, rule.limit, rule, started)
        ):
            if rule.several_guests and begins_guest(len(series.differences)):
                sandbox.restart_guest()
                series.guests.append(len(series.differences))
            _pair(sandbox, (original, candidate), plan, series, check, draw)
            if decision is Decision.INCONCLUSIVE:
                usual_s = (time.monotonic() - started) / len(series.differences) * max(rule.min_pairs, rule.fewest)
                # Share of a comparison's time. Where the usual number of pairs would take more, a large ratio ends it
                # early. Cheap pairs go on: for 1.2 s more the interval of the README's first command is 41x to 46x, and
                # not 12x to 130x.
                decision, reason = decide(series, rule, early=usual_s > 0.5 * rule.max_seconds)
            watch.paired(len(series.differences))
    except _Wrong as wrong:
        outcome = wrong.outcome
        found = _result(series, rule, Decision.WRONG, f"case {outcome.case}: {outcome.words}")
        return replace(found, overrun=outcome.verdict is CaseVerdict.TLE or outcome.cause is Cause.OVERRUN)
    except BaseException:
        if series.differences:
            decision, reason = decide(series, rule)
            why = f"undecided, as it ended after {len(series.differences)} pairs"
            watch.broken(_result(series, rule, decision, why if decision is Decision.INCONCLUSIVE else reason))
        raise
    if (
        decision is Decision.INCONCLUSIVE or rule.limit is not None
    ):  # few far pairs, and pairs for the limit, count also
        later, why = decide(series, rule)
        decision, reason = (decision, reason) if later is Decision.INCONCLUSIVE else (later, why)
    return _result(series, rule, decision, reason)


def make_plan(sandbox: Runner[P], original: P, cases: Sequence[Case], check: Checker, rule: StoppingRule) -> Plan:
    """Run the original on each case, and plan to time the longest. Raises OriginalUnsteady when it fails one."""
    if not cases:
        raise ValueError("there is no case to time")
    measured = [_measured(sandbox, original, case, check) for case in cases]
    steady = {cases[0].name} if len(cases) == 1 else set[str]()
    while True:
        measured.sort(key=lambda pair: -pair[1].active_s)
        timed = _long_enough(measured, rule)
        # a case that takes less is run three times before it is called one of the longest
        doubtful = (at for at, (case, run) in enumerate(timed) if run.active_s < 0.05 and case.name not in steady)
        if (at := next(doubtful, None)) is None:
            break
        case, run = measured[at]
        runs = (run, *(run_on(sandbox, original, case) for _ in range(2)))
        measured[at] = case, min(runs, key=lambda run: run.active_s)
        steady.add(case.name)
    longest = timed[0][1]
    clock = (
        rule.metric if rule.metric != "auto" else choose_clock(longest, lambda: run_on(sandbox, original, timed[0][0]))
    )
    total = sum(max(run.cpu_s if clock == "cpu" else run.active_s, 1e-4) for _, run in timed)
    repeats = 1 if clock == "memory" else max(1, min(100, math.ceil(rule.pair_seconds / total)))
    # time of the original in a pair below which it counts as short, seconds
    short = clock != "memory" and total * repeats < 0.15
    return Plan(tuple(case for case, _ in timed), clock, repeats, short, longest.active_s)


def _measured(sandbox: Runner[P], original: P, case: Case, check: Checker) -> tuple[Case, Run]:
    """A case with all that is expected, and a run of the original on it. Raises OriginalUnsteady."""
    run = run_on(sandbox, original, case)
    outcome = judge(case, run, check)
    if outcome.verdict is not CaseVerdict.AC:
        raise OriginalUnsteady(f"the original fails case {case.name}: {outcome.words}", outcome)
    known = case if case.is_answered else case.expecting(run)
    return replace(known, written=run.written if case.written is None else case.written), run


def _long_enough(measured: Sequence[tuple[Case, Run]], rule: StoppingRule) -> list[tuple[Case, Run]]:
    """The longest case, and the next ones that are nearly as long, until they take enough seconds together."""
    timed = [measured[0]]
    for case, run in measured[1 : rule.timed_cases]:
        enough = sum(run.active_s for _, run in timed) >= rule.enough_seconds
        if run.active_s >= 0.3 * timed[0][1].active_s and not enough:
            timed.append((case, run))
    return timed


def _spent(series: Series, rule: StoppingRule, started: float) -> str:
    pairs = len(series.differences)
    if pairs >= rule.max_pairs:
        return f"undecided after {pairs} pairs"
    took = time.monotonic() - started
    enough = max(MIN_PAIRS_ANY_TIME, rule.fewest) if took < MAX_OVERTIME * rule.max_seconds else rule.fewest
    if pairs >= enough and took > rule.max_seconds:
        return f"undecided after {pairs} pairs in {took:.0f} s"
    return ""


def _empty(plan: Plan) -> dict[str, tuple[list[float], list[float]]]:
    return {case.name: ([], []) for case in plan.cases}


def _asks_more(series: Series, limit: LimitRule, rule: StoppingRule, started: float) -> bool:
    """Return True if the limit test needs another pair."""
    pairs, took = len(series.differences), time.monotonic() - started
    if pairs >= limit.max_pairs or (pairs >= rule.fewest and took > limit.max_seconds):
        return False
    return series.answer(limit)[0] is LimitAnswer.INCONCLUSIVE


def _pair(
    sandbox: Runner[P], programs: tuple[P, P], plan: Plan, series: Series, check: Checker, draw: random.Random
) -> None:
    """One pair: every timed case, each program `repeats` times, neighbours in random order."""
    sums, walls = [0.0, 0.0], [0.0, 0.0]
    for case in plan.cases:
        amounts: tuple[list[float], list[float]] = ([], [])
        wall: tuple[list[float], list[float]] = ([], [])
        for _ in range(plan.runs(len(series.differences))):
            for which in (0, 1) if draw.random() < 0.5 else (1, 0):
                run = run_on(sandbox, programs[which], case)
                outcome = judge(case, run, check)
                if outcome.verdict is not CaseVerdict.AC:
                    if which:
                        raise _Wrong(outcome)
                    raise OriginalUnsteady(f"the original fails case {case.name} now and then", outcome, busy=True)
                amounts[which].append(measured_value(run, series.metric))
                wall[which].append(run.wall_s)
        for which in (0, 1):
            for kept, values, total in ((series.times, amounts, sums), (series.wall_times, wall, walls)):
                kept[case.name][which].append(lower_half_mean(values[which]))
                total[which] += kept[case.name][which][-1]
    series.differences.append(math.log(sums[0] / sums[1]))
    series.wall.append(math.log(walls[0] / walls[1]))


def lower_half_mean(amounts: Sequence[float]) -> float:
    """Return the mean of the lower half of a program's runs in one pair: a disturbance makes a run longer."""
    return fmean(sorted(amounts)[: (len(amounts) + 1) // 2])


def measured_value(run: Run, metric: Clock) -> float:
    """Value of a run that is compared, seconds or bytes; never zero."""
    value = {"cpu": run.cpu_s, "wall": run.wall_s, "memory": float(run.peak_bytes)}[metric]
    return max(value, 1e-6)


def decide(series: Series, rule: StoppingRule, *, early: bool = True) -> tuple[Decision, str]:
    """Decision from the pairs so far, with the reason where it is not plain; INCONCLUSIVE asks for another pair.

    early: a large ratio needs only the first few.
    """
    differences = series.differences
    far = early and any(is_far(differences, 0.0, side) for side in SIDES)
    if len(differences) < max(rule.min_pairs, rule.fewest) and not far:  # fewer have no interval
        return Decision.INCONCLUSIVE, ""
    worth = math.log(rule.worth_having)
    side = series.side_beyond_guests(rule)
    if side == 1:
        if series.metric != "cpu" or hodges_lehmann(series.wall) >= 0.5 * hodges_lehmann(differences):
            return Decision.FASTER, ""
        if rejects_null(series.wall, 0.0, 1, rule.alpha):
            return Decision.FASTER, ""
        # CPU time that went away while wall time stayed was moved to where it is not counted, or became waiting.
        if rejects_null(series.wall, worth, -1, rule.futility):
            longer = rejects_null(series.wall, 0.0, -1, rule.alpha)
            takes = "longer" if longer else "as long"
            why = f"it uses less CPU time but takes {takes}: it waits, or works where it is not seen"
            return Decision.SLOWER if longer else Decision.SAME, why
        return Decision.INCONCLUSIVE, ""
    if rule.tolerated is not None and series.rejects(-math.log1p(rule.tolerated), 1, rule.alpha):
        return Decision.SAME, f"not more than {rule.tolerated:.0%} slower"
    if side == -1:
        return Decision.SLOWER, ""
    # A candidate that looks clearly slower gets the few more pairs that this verdict takes.
    if rejects_null(differences, worth, -1, rule.futility) and hodges_lehmann(differences) > -worth:
        return Decision.SAME, f"less than {rule.worth_having - 1:.0%} faster"
    return Decision.INCONCLUSIVE, ""


def _result(series: Series, rule: StoppingRule, decision: Decision, reason: str) -> Comparison:
    """Return the result of the comparison.

    If neither is faster, the interval has the level of that test, so that it contains 1. A narrower interval can lie
    wholly on one side.
    """
    given = series
    other = decision in (Decision.SAME, Decision.INCONCLUSIVE, Decision.SLOWER)
    if other and series.metric == "cpu" and series.side_beyond_guests(rule) == 1:
        series = series.by_wall()  # faster by CPU time alone: wall time has decided
    low, high, middle = -math.inf, math.inf, 0.0
    decided = decision in (Decision.FASTER, Decision.SLOWER)
    confidence = rule.interval if decided else max(rule.interval, 1 - 2 * rule.alpha)
    if series.differences:
        middle = hodges_lehmann(series.differences)
        low, high = interval(series.differences, rule.within * (1 - confidence))
        apart = series.margin((1 - confidence) / 2)
        low, high = low - apart, high + apart
    return Comparison(
        decision=decision,
        ratio=math.exp(middle),
        ci_low=math.exp(low),
        ci_high=math.exp(high),
        pairs=len(series.differences),
        metric=series.metric,
        confidence=confidence,
        alpha=rule.alpha,
        method=METHOD,
        cases=tuple(CaseTimes(name, tuple(a), tuple(b)) for name, (a, b) in series.times.items()),
        reason=reason,
        limit=given.against(rule.limit) if rule.limit is not None else None,
        guests=max(1, len(series.guests)),
        wall_ratios=tuple(map(math.exp, series.wall)),
        passes=series.passes,
    )
