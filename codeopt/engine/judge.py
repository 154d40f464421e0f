"""The one judge: a draft becomes a candidate, run on every case, compared with the original, looked at by every guard.

What is judged, and how it is exercised, is a Workload; nothing here knows of programs, functions or projects.
"""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Literal

from codeopt.core.console import minutes
from codeopt.core.evidence import BySize
from codeopt.core.history import AgainstBest, Candidate, Draft, History, Step, TestsRun
from codeopt.core.model import Effort
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup
from codeopt.engine import guards
from codeopt.report.verdict import Verdict
from codeopt.workloads import Checked, Stage, Suite, Workload
from codeopt_sandbox.ablation import time_variants
from codeopt_sandbox.compare import Comparison, Decision, PairWatch, Plan, StoppingRule, compare
from codeopt_sandbox.errors import OriginalUnsteady
from codeopt_sandbox.outcome import Case, CaseVerdict, CaveatKind, Outcome
from codeopt_sandbox.sequential_test import FAR, FAR_PAIRS, PAIRS_FACTOR, LimitAnswer, LimitRule, LimitTest

MAX_FAILURES = 2
"""A wrong draft is not run any further after so many failing cases."""
PAIRS_SHARE = 0.8
"""Share of the time left that pairs may take: guards come after them."""


Keep = Callable[[Candidate], None]
"""Receives a candidate with what is known of it so far, its step included, and when its verdict is reached."""


@dataclass(frozen=True)
class Judge:
    """Measures candidates against one original."""

    workload: Workload
    profiled: bool = True
    """Profile the drafts too; for proposers that read it."""
    notify: Callable[[str], None] = lambda line: None
    ranked: bool = False
    """Compare a faster candidate with the best one before it also, for sources that continue from the best."""
    alone: Callable[[], AbstractContextManager[object]] = nullcontext
    """Held while something is measured."""
    strict: bool = False
    """A caveat is a reason to refuse a draft."""
    second: Literal["auto", "memory", ""] = ""
    """Second metric by which candidates are compared also. Empty: no second metric."""
    time_left: Callable[[], float | None] = lambda: None
    """Seconds that a comparison may take. None: as many as its rule allows."""
    wanted: Callable[[Candidate], bool] = lambda candidate: candidate.faster
    """Return whether a candidate that is timed is worth a run of the project's tests."""
    book: Callable[[str], AbstractContextManager[object]] = lambda step: nullcontext()
    """Books the seconds of a step that belongs to no draft alone, such as `tests`."""
    spare: Callable[[], AbstractContextManager[object]] = nullcontext
    """Held while the parts of a draft are timed, which is given up where too little time would be left to confirm."""

    @property
    def original(self) -> Candidate:
        """Round 0, measured."""
        return self.workload.baseline

    @property
    def timed(self) -> bool:
        """Code is run and timed; a text is scored."""
        return self.workload.region.timed

    def fewest_pairs(self, share: float) -> int:
        """Return the fewest pairs that a confirmation takes, by its share of the stated error rate."""
        return self.workload.rule.final(share).fewest

    @property
    def suite(self) -> Suite:
        """The cases on which a draft must be right."""
        return self.workload.suite

    def measure(self, draft: Draft, history: History, keep: Keep = lambda verdict: None) -> Candidate:
        """Run, compare and profile one draft of a proposer. keep: receives it after each step."""
        candidate = self._read(draft, history)
        if candidate.rejection:
            return candidate
        with self.alone() if self.timed else nullcontext():
            candidate = self._screened(candidate, draft, history, keep)
            right = candidate.correct and self.timed
            return self._finished(candidate, draft, history, keep) if right else candidate

    def screen(self, draft: Draft, history: History, keep: Keep = lambda verdict: None) -> Candidate:
        """Is a draft right? It is compared with nothing yet: it may be one of several of the same critique."""
        candidate = self._read(draft, history)
        if candidate.rejection:
            return candidate
        with self.alone():
            return self._screened(candidate, draft, history, keep)

    def finish(
        self, candidate: Candidate, draft: Draft, history: History, keep: Keep = lambda verdict: None
    ) -> Candidate:
        """A draft that was right when it was screened, compared with the original and profiled. keep: as of measure."""
        with self.alone():
            return self._finished(candidate, draft, history, keep)

    def lower_bound_share(self, candidate: Candidate) -> float | None:
        """Return the share of the time that every version needs, such as reading input. None if unknown."""
        plan, lower_bound = self.workload.plan, self.workload.lower_bound_program
        if lower_bound is None or plan is None or plan.metric == "memory":
            return None
        self.notify("timing the work that every version needs")
        with self.alone():
            sides = [candidate.revision, lower_bound]
            return time_variants(self.workload.runner, sides, plan, lambda expected, got: "")[0]

    def _read(self, draft: Draft, history: History) -> Candidate:
        """The candidate of a draft that is judged by its text alone, before it is run."""
        candidate = Candidate(
            len(history.candidates), draft.revision, draft.summary, changes=draft.changes, model=draft.model
        )
        reads = not draft.problem and self.timed
        found = guards.source_findings(guards.SourcePair(self.original.revision, draft.revision)) if reads else ()
        objections = [each.reason for each in found if each.consequence is guards.Consequence.REJECT]
        reason = draft.problem or "".join(objections) or self._repeated(draft.revision, history)
        noted = () if reason else tuple(each.reason for each in found)
        return replace(candidate, rejection=reason, notes=(*draft.notes, *noted))

    def _screened(self, candidate: Candidate, draft: Draft, history: History, keep: Keep) -> Candidate:
        started = time.monotonic()
        keep(replace(candidate, step=Step.CASES))
        known: tuple[Outcome, ...] = ()
        if not draft.screening_only:  # a confirmation has runs of its own
            earlier = (c for c in history.candidates if c.screening_only and c.correct and c.revision == draft.revision)
            known = next((each.outcomes for each in earlier), ())
        found = self._run_cases(candidate, known)
        if not draft.screening_only and found.correct:
            keep(replace(found, step=Step.CHECKS))
            found = self._checked(found, Stage.ROUND)
        return _took(found, Effort(cases_s=time.monotonic() - started))

    def _repeated(self, draft: Revision, history: History) -> str:
        """Return the reason why a draft need not run, empty for a new one.

        The same program was compared before, comments and layout ignored, or the same text was scored.
        """
        for earlier in history.candidates:
            if not self.timed and earlier.revision == draft:
                return f"the same text as draft {earlier.round + 1}"
            if self.timed and not earlier.screening_only and is_same_program(earlier.revision, draft):
                which = "the original" if earlier.round == 0 else f"round {earlier.round}"
                return f"the same program as {which}, but for comments and layout"
        return ""

    def _finished(self, candidate: Candidate, draft: Draft, history: History, keep: Keep) -> Candidate:
        started = time.monotonic()
        if draft.screening_only:
            return _took(self._ablated(candidate, draft), Effort(timing_s=time.monotonic() - started))
        candidate = self._timed(candidate, history, keep)
        started = time.monotonic()
        candidate = self._ablated(candidate, draft)
        timed = time.monotonic()
        profiled = self._profiled(candidate)
        return _took(profiled, Effort(timing_s=timed - started, profile_s=time.monotonic() - timed))

    def _timed(self, candidate: Candidate, history: History, keep: Keep) -> Candidate:
        """Compare a candidate with the original, have it pass the project's tests if it is worth it, and compare it
        with the best one. `keep` receives it after each of these, and the last state if an error ends it.
        """
        started, plan, rule = time.monotonic(), self.workload.require_plan(), self.workload.rule.screening()
        known = replace(candidate, step=Step.TIMING)

        def so_far(part: Candidate) -> None:
            keep(_took(part, Effort(timing_s=time.monotonic() - started)))

        so_far(known)
        known = self._compared(known, plan, replace(rule, seed=candidate.round), so_far)
        known = _took(self._guarded(known, plan, (), in_round=True), Effort(timing_s=time.monotonic() - started))
        known = self._tested(known, Stage.ROUND, keep)
        started, known = time.monotonic(), replace(known, step=None)
        try:
            known = self._against_best(known, history, plan, rule)
        finally:
            so_far(known)
        return _took(known, Effort(timing_s=time.monotonic() - started))

    def _tested(self, candidate: Candidate, stage: Stage, keep: Keep = lambda part: None) -> Candidate:
        """Have a candidate that is worth it pass the project's tests, within a share of the time left."""
        if not candidate.correct or not (stage is Stage.REFERENCE or self.wanted(candidate)):
            return candidate
        candidate = replace(candidate, step=Step.TESTS)
        keep(candidate)
        left = self.time_left()  # without what the confirmation of this candidate is now known to need

        def count(tests: TestsRun) -> None:
            keep(replace(candidate, tests=tests))

        with self.book("tests"):
            # share of the time left that tests may take, which would lose the draft at a deadline: the confirmation
            # comes after those of a round, and what follows the verdict after those of the confirmation
            seconds = None if left is None else 0.5 * left
            found = self.workload.run_tests(candidate.revision, stage, seconds, count)
        return replace(self._with_checks(candidate, found), step=None)

    def is_unfinished(self, candidate: Candidate) -> bool:
        """Return whether a candidate was not judged to its end, or has fewer timed pairs than a verdict needs."""
        if not self.timed or candidate.screening_only:
            return False
        found = candidate.comparison
        few = found is None or (
            found.decision is Decision.INCONCLUSIVE and found.pairs < self.workload.rule.screening().fewest
        )
        return candidate.step is not None or (candidate.correct and few)

    def check(self, draft: Revision, summary: str, *, failures: int = 1, known: tuple[Outcome, ...] = ()) -> Candidate:
        """Check a program that a person wrote on all cases, known and unseen, and with all further checks
        of the workload. known: outcomes of the first known cases, where they were run before.
        """
        with self.alone(), self.workload.making_unseen() as unseen_cases:
            notes = guards.source_notes(guards.SourcePair(self.original.revision, draft)) if self.timed else ()
            candidate = self._run_cases(Candidate(1, draft, summary, notes=notes), known, failures)
            if candidate.correct:
                unseen = self._outcomes(draft, unseen_cases(), failures)
                candidate = replace(candidate, outcomes=candidate.outcomes + unseen)
            return self._tested(self._checked(candidate, Stage.REFERENCE), Stage.REFERENCE)

    def known(self, draft: Revision, summary: str) -> Candidate:
        """The outcomes of a draft on the known cases alone, up to the first that is wrong."""
        with self.alone():
            return self._run_cases(Candidate(1, draft, summary), failures=1)

    def time(self, candidate: Candidate, seed: int = 0, keep: Keep = lambda verdict: None) -> Candidate:
        """Compare with the full error rate, then ask the guards.

        keep: receives the candidate with the result so far, also if an error ends it.
        """
        with self.alone():
            plan, rule = self.workload.require_plan(), self.workload.rule.final()
            compared = self._compared(candidate, plan, replace(rule, seed=seed + candidate.round), keep)
            keep(compared)
            return self._guarded(compared, plan, ())

    def confirm(self, candidate: Candidate, share: float = 1.0) -> Candidate:
        """Return the same candidate with new figures, from fresh pairs and cases that were never shown.

        The known cases run again only for a candidate that was trimmed. share: part of the stated error rate for this
        confirmation. All confirmations of a run together have the whole.
        """
        self.notify("confirming with new timings and held-out cases")
        with self.alone():
            started = time.monotonic()
            found = candidate
            with self.spare():
                candidate = self.workload.trimmed(candidate)
            unseen = self.workload.unseen_cases()
            same = found.revision == candidate.revision
            outcomes = found.outcomes if same else self._outcomes(candidate.revision, self.suite.cases)
            outcomes += self._outcomes(candidate.revision, unseen)
            caveats = tuple(each for each in candidate.checked if each.kind is not CaveatKind.SPEED)
            confirmed = replace(
                candidate, outcomes=outcomes, comparison=None, checked=caveats, effort=Effort(), confirmed=True
            )
            confirmed = self._checked(confirmed, Stage.CONFIRMATION)
            checked = time.monotonic()
            if confirmed.correct and self.timed:
                plan = self.workload.confirmation_plan(unseen)
                # added to the round: the order within pairs is another one when a draft is confirmed
                rule = replace(self.workload.rule.final(share), seed=1000 + candidate.round)
                confirmed = self._guarded(self._compared(confirmed, plan, rule), plan, unseen)
            confirmed = _took(confirmed, Effort(cases_s=checked - started, timing_s=time.monotonic() - checked))
            return self._tested(confirmed, Stage.CONFIRMATION)

    def by_size(self, draft: Revision, timed: Speedup) -> BySize:
        """Return the times of the original and of a draft on smaller inputs too. timed: the verdict's figures."""
        if timed.metric == "memory":
            return BySize()
        self.notify("timing smaller inputs")
        with self.alone():
            return self.workload.by_size(draft, timed)

    def _run_cases(
        self, candidate: Candidate, known: tuple[Outcome, ...] = (), failures: int = MAX_FAILURES
    ) -> Candidate:
        rest = self._outcomes(candidate.revision, self.suite.cases[len(known) :], failures=failures)
        return replace(candidate, outcomes=(*known, *rest))

    def _outcomes(self, draft: Revision, cases: Sequence[Case], failures: int = MAX_FAILURES) -> tuple[Outcome, ...]:
        """Outcomes of the cases in order, up to a number of wrong ones."""
        outcomes: list[Outcome] = []
        wrong = 0
        for number, case in enumerate(cases, 1):
            self.notify(f"case {number} of {len(cases)}")
            outcome = self.workload.run_case(draft, case)
            if outcome.verdict is not CaseVerdict.AC:
                outcome = outcome if wrong else self.workload.explain(draft, case, outcome)
                wrong += 1
            outcomes.append(outcome)
            if wrong == failures:
                break
        return tuple(outcomes)

    def _checked(self, candidate: Candidate, stage: Stage) -> Candidate:
        """Return a right candidate with the workload's further checks. A wrong one is returned unchanged."""
        if not candidate.correct:
            return candidate
        return self._with_checks(candidate, self.workload.check(candidate.revision, stage))

    def _with_checks(self, candidate: Candidate, found: Checked) -> Candidate:
        """Add the findings of a check to a right candidate."""
        checked = replace(
            candidate,
            outcomes=candidate.outcomes + found.outcomes,
            rejection=found.rejection,
            checked=candidate.checked + found.caveats,
            notes=candidate.notes + found.notes,
            rejection_detail=found.rejection_detail,
            critique=found.critique or candidate.critique,
            scores=found.scores or candidate.scores,
            usage=candidate.usage + found.usage,
            tests=found.tests or candidate.tests,
        )
        return self._refused(checked)

    def _refused(self, candidate: Candidate) -> Candidate:
        """Reject a right candidate with a caveat if `strict`."""
        caveats = candidate.caveats if self.strict and candidate.correct else ()
        return replace(candidate, rejection=f"--strict: {caveats[0].words}") if caveats else candidate

    def _compared(
        self, candidate: Candidate, plan: Plan, rule: StoppingRule, keep: Keep = lambda part: None
    ) -> Candidate:
        """Return the candidate with a comparison. keep: receives it with the pairs so far if an error or a
        signal ends them.
        """
        doing, rule, sides = "comparing", self._in_time(rule), (self.original.revision, candidate.revision)
        self.notify(doing)
        first = self._pairs(doing, sides, plan, rule, lambda part: keep(replace(candidate, comparison=part)))
        second: Comparison | None = None
        if self.second and first.decision is not Decision.WRONG:
            rule = replace(rule, metric=self.second)
            second = self._pairs("comparing by the other measure", sides, self.workload.plan_by(plan, rule), rule)
        return replace(candidate, comparison=first, second=second)

    def _in_time(self, rule: StoppingRule) -> StoppingRule:
        """The rule within the time that is left: pairs that are timed count, and a deadline would lose them."""
        left = self.time_left()
        return rule if left is None else replace(rule, max_seconds=min(rule.max_seconds, PAIRS_SHARE * left))

    def _pairs(
        self, doing: str, sides: tuple[Revision, Revision], plan: Plan, rule: StoppingRule,
        broken: Callable[[Comparison], None] = lambda part: None,
    ) -> Comparison:  # fmt: skip
        """Compare two texts. broken: receives the pairs so far if an error or a signal ends them."""
        watch = PairWatch(ComparisonProgress(doing, rule, self.notify), broken)
        return compare(self.workload.runner, *sides, plan, check=self.suite.check, rule=rule, watch=watch)

    def _against_best(self, candidate: Candidate, history: History, plan: Plan, rule: StoppingRule) -> Candidate:
        """Return a faster candidate with its comparison to the best one so far.

        It has its own pairs: a step of 1.6x does not show in two intervals of 15x to 28x.
        """
        best = history.best
        if not self.ranked or best is None or not candidate.faster:
            return candidate
        # Time limit for comparing two candidates, seconds. The comparison only decides which of them to continue from.
        rule = replace(rule, max_seconds=min(rule.max_seconds, 10.0), seed=candidate.round)
        sides = (best.revision, candidate.revision)
        try:
            comparison = self._pairs(f"comparing with round {best.round}", sides, plan, rule)
        except OriginalUnsteady:
            return candidate
        return replace(candidate, against_best=AgainstBest(best.round, comparison, best.lead))

    def _guarded(
        self, candidate: Candidate, plan: Plan, unseen: tuple[Case, ...], *, in_round: bool = False
    ) -> Candidate:
        if not candidate.correct or candidate.comparison is None:
            return candidate
        gain = guards.Gain(self.workload, candidate.revision, candidate.comparison, plan, unseen, self.notify)
        for finding in guards.gain_findings(gain, faster=candidate.faster, in_round=in_round):
            candidate = _with(candidate, candidate.comparison, finding)
        return self._refused(candidate)

    def _ablated(self, candidate: Candidate, draft: Draft) -> Candidate:
        """Return the candidate with its right ablations, and the ratio of each one's time to the draft's."""
        plan = self.workload.plan
        if not candidate.correct or not draft.ablations or plan is None:
            return candidate
        self.notify("timing it without each of its changes")
        sides = [draft.revision, *(revision for _, revision in draft.ablations)]
        one = len(plan.cases) == 1 and plan.metric != "memory"
        known = {at: plan.longest_s for at, side in enumerate(sides) if one and side == self.original.revision}
        took = time_variants(self.workload.runner, sides, plan, self.suite.check, known=known)
        named = zip(draft.ablations, took, strict=True)
        found = tuple((name, round(ratio, 4)) for (name, _), ratio in named if ratio is not None)
        return replace(candidate, ablation=found)

    def _profiled(self, candidate: Candidate) -> Candidate:
        if not self.profiled or not candidate.correct:
            return candidate
        self.notify("profiling")
        return replace(candidate, profile=self.workload.profile(candidate.revision))


def _took(candidate: Candidate, effort: Effort) -> Candidate:
    return replace(candidate, effort=candidate.effort + effort)


def _with(candidate: Candidate, comparison: Comparison, finding: guards.Finding) -> Candidate:
    if finding.consequence is guards.Consequence.NOTE:
        return replace(candidate, notes=(*candidate.notes, finding.reason))
    if finding.consequence is guards.Consequence.CAVEAT:
        return replace(candidate, checked=candidate.checked + finding.caveats)
    if finding.consequence is guards.Consequence.NO_GAIN:
        return replace(candidate, comparison=comparison.without_gain(finding.reason, slower=finding.slower))
    if finding.outcome is not None:
        return replace(candidate, outcomes=(*candidate.outcomes, finding.outcome))
    return replace(candidate, rejection=finding.reason)


def is_same_program(one: Revision, other: Revision) -> bool:
    """Return whether two revisions differ only in comments and layout."""
    pairs = ((one[path], other[path]) for path in one.changed_files(other))
    return one.keys() == other.keys() and all(_shape(a) == _shape(b) for a, b in pairs)


def _shape(text: str) -> str:
    """A file's text without its comments and layout; the text itself where it cannot be read."""
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


# Limits of a comparison: its pairs, its time and a gate; progress in words, and advice where one ended undecided.


MORE = 10
"""Factor on a limit that is worth trying where it ended a comparison undecided."""


def said_of_long_runs(plan: Plan | None, rule: StoppingRule) -> str:
    """Format the time that the comparison of a long program takes, before its first pair. Empty if pairs are cheap.

    rule: its stopping rule.
    """
    if plan is None:
        return ""
    pair_s = 2 * plan.longest_s * plan.repeats
    if pair_s * rule.fewest <= rule.max_seconds:
        return ""
    decide = f"{rule.fewest} decide, {FAR_PAIRS} if all are {FAR:g}x or more, {minutes(rule.fewest * pair_s)}"
    return f"pairs      few, as each takes {minutes(pair_s)}: {decide}"


def more_pairs(pairs: int, max_pairs: int, max_seconds: float) -> str:
    """Return advice on a comparison that ended undecided at one of its limits."""
    more = f"time: --max-seconds {math.ceil(MORE * max_seconds / 60)}m"
    if pairs >= max_pairs:
        more = f"pairs: --max-pairs {MORE * max_pairs}"
    return f"run it on an idle machine, or with more {more}"


@dataclass(frozen=True)
class ComparisonProgress:
    """A callback for each pair; most comparisons end long before the last that they may have."""

    doing: str
    rule: StoppingRule
    notify: Callable[[str], None]

    def __call__(self, pairs: int) -> None:
        last = self.rule.limit or self.rule  # pairs about a limit come after those of the decision
        most, fewest = max(self.rule.max_pairs, last.max_pairs), min(self.rule.fewest, self.rule.max_pairs)
        fewest = min(FAR_PAIRS if pairs < FAR_PAIRS else fewest, fewest)  # a large ratio ends it early
        of = f"at least {fewest}" if pairs < fewest else f"at most {most}"
        self.notify(f"{self.doing}, pair {pairs} of {of}")


def granted(rule: StoppingRule, options: ImproveOptions, limit: float | None = None) -> StoppingRule:
    """Return the rule with the pairs and the time that a user allows, for every command.

    limit: also tested, with its own pairs. None: no limit.
    """
    rule, seconds = replace(rule, max_pairs=options.max_pairs), options.max_seconds
    if limit is not None:
        rule = replace(rule, limit=LimitRule(limit, max_pairs=PAIRS_FACTOR * rule.max_pairs))
    if seconds is None:
        return rule
    return replace(rule, max_seconds=seconds, limit=rule.limit and replace(rule.limit, max_seconds=seconds))


def answered(limit: float | None, found: Verdict) -> LimitTest | None:
    """The answer of a verdict about a limit on slowdowns: a failure where NEW was given up as too slow. None without a
    limit."""
    if limit is None:
        return None
    if found.speedup and found.is_bound and found.speedup.ratio < 1 / (1 + limit):
        return LimitTest(limit, LimitAnswer.FAIL, 0.0, 0, metric="wall")
    return found.limit or LimitTest(limit, LimitAnswer.INCONCLUSIVE, 0.0, 0)
