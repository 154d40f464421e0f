"""The one judge: a draft becomes a candidate, run on every case, compared with the original, looked at by every guard.

What is judged, and how it is exercised, is a Workload; nothing here knows of programs, functions or projects.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from codeopt.core.budget import Effort
from codeopt.core.history import AgainstBest, Candidate, Draft, History
from codeopt.core.revision import Revision
from codeopt.engine import guards
from codeopt.engine.comparison_progress import ComparisonProgress
from codeopt.workloads import OTHER_HASH_SEED, Stage, Suite, Workload
from codeopt_sandbox.ablation import time_variants
from codeopt_sandbox.caveat import Subject
from codeopt_sandbox.compare import Comparison, Decision, Plan, StoppingRule, compare
from codeopt_sandbox.errors import OriginalUnsteady
from codeopt_sandbox.growth import GrowthPair
from codeopt_sandbox.outcome import Case, Outcome, Verdict

MAX_FAILURES = 2
"""A wrong draft is not run any further after so many failing cases."""
STEP_S = 10.0
"""Time limit of comparing two drafts, seconds: it decides only which of them to go on from."""
THIRD_HASH_SEED = 2
"""Hash seed of unseen cases."""
SHORT_S = 3.0
"""CPU budget of the cases that `check` runs again with another hash seed, seconds."""
PAIRS_SHARE = 0.8
"""Share of the time left that pairs may take: guards come after them."""
CONFIRMATION_SEED = 1000
"""Added to the round: the order within pairs is another one when a draft is confirmed."""


Keep = Callable[[Candidate], None]
"""Receives a candidate whose verdict is reached, before it is profiled."""


@dataclass(frozen=True)
class RelativeTimes:
    """Programs that do the same, timed next to each other."""

    ratios: tuple[float | None, ...]
    """Time of each draft in relation to the first that is right; None for one that was wrong or failed."""
    seconds: float


@dataclass(frozen=True)
class Judge:
    """Measures candidates against one original."""

    workload: Workload
    profiled: bool = True
    """Profile the drafts too; for proposers that read it."""
    notify: Callable[[str], None] = lambda line: None
    ranked: bool = False
    """Compare a faster draft with the best one before it, too; for proposers that go on from the best."""
    alone: Callable[[], AbstractContextManager[object]] = nullcontext
    """Held while something is measured."""
    strict: bool = False
    """A caveat is a reason to refuse a draft."""
    second: Literal["auto", "memory", ""] = ""
    """Another clock by which drafts are compared, too; empty: none."""
    time_left: Callable[[], float | None] = lambda: None
    """Seconds that a comparison may take; None: as many as its rule allows."""

    @property
    def original(self) -> Candidate:
        """Round 0, measured."""
        return self.workload.baseline

    @property
    def timed(self) -> bool:
        """Code is run and timed; a text is scored."""
        return self.workload.region.timed

    @property
    def suite(self) -> Suite:
        """The cases on which a draft must be right."""
        return self.workload.suite

    def measure(self, draft: Draft, history: History, keep: Keep = lambda verdict: None) -> Candidate:
        """Run, compare and profile one draft of a proposer. keep: receives it when the verdict is reached."""
        candidate = self._read(draft, history)
        if candidate.rejection:
            return candidate
        with self.alone() if self.timed else nullcontext():
            candidate = self._screened(candidate, draft, history)
            right = candidate.correct and self.timed
            return self._finished(candidate, draft, history, keep) if right else candidate

    def screen(self, draft: Draft, history: History) -> Candidate:
        """Is a draft right? It is compared with nothing yet: it may be one of several of the same critique."""
        candidate = self._read(draft, history)
        if candidate.rejection:
            return candidate
        with self.alone():
            return self._screened(candidate, draft, history)

    def finish(
        self, candidate: Candidate, draft: Draft, history: History, keep: Keep = lambda verdict: None
    ) -> Candidate:
        """A draft that was right when it was screened, compared with the original and profiled. keep: as of measure."""
        with self.alone():
            return self._finished(candidate, draft, history, keep)

    def time_side_by_side(self, candidates: Sequence[Candidate]) -> RelativeTimes:
        """Right drafts, timed next to each other: a quick answer for choosing one, at a fraction of what it takes to
        compare each with the original."""
        self.notify(f"timing {len(candidates)} right drafts next to each other")
        with self.alone():
            started = time.monotonic()
            ratios = self._ratios([candidate.revision for candidate in candidates])
            return RelativeTimes(ratios, time.monotonic() - started)

    def _ratios(self, drafts: Sequence[Revision]) -> tuple[float | None, ...]:
        """Time of each program in relation to the first that is right."""
        if not drafts:
            return ()
        plan = self.workload.require_plan()
        runner, check = self.workload.runner, self.suite.check
        took = time_variants(runner, drafts, plan, check)
        if took and not any(took) and time_variants(runner, [drafts[0]] * 2, plan, check) == (None,):
            return None, *self._ratios(drafts[1:])
        return 1.0, *took

    def lower_bound_share(self, candidate: Candidate) -> float | None:
        """The share of a draft's time that no other could do without, such as reading the input; None: not known."""
        plan, lower_bound = self.workload.plan, self.workload.lower_bound_program
        if lower_bound is None or plan is None or plan.clock == "memory":
            return None
        self.notify("timing what no draft can do without")
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
        notes = () if reason else tuple(each.reason for each in found)
        return replace(candidate, rejection=reason, notes=notes)

    def _screened(self, candidate: Candidate, draft: Draft, history: History) -> Candidate:
        started = time.monotonic()
        if draft.screening_only:
            found = self._run_cases(candidate)
        else:
            found = self._checked(self._run_cases(candidate, _screened(draft, history)), Stage.ROUND)
        return _took(found, Effort(cases_s=time.monotonic() - started))

    def _repeated(self, draft: Revision, history: History) -> str:
        """Why a draft need not be run: the same program, but for comments and layout, was compared before, or the same
        text was scored. Empty when it is new."""
        for earlier in history.candidates:
            if not self.timed and earlier.revision == draft:
                return f"the same text as draft {earlier.round + 1}"
            if self.timed and not earlier.screening_only and is_same_program(earlier.revision, draft):
                which = "the original" if earlier.round == 0 else f"round {earlier.round}"
                return f"the same program as {which}, but for comments and layout"
        return ""

    def _finished(self, candidate: Candidate, draft: Draft, history: History, keep: Keep) -> Candidate:
        started = time.monotonic()
        if not draft.screening_only:
            plan = self.workload.require_plan()
            rule = self.workload.rule.screening()
            candidate = self._compared(candidate, plan, rule, seed=candidate.round)
            candidate = self._guarded(candidate, plan, (), in_round=True)
            candidate = self._against_best(candidate, history, plan, rule)
            keep(_took(candidate, Effort(timing_s=time.monotonic() - started)))
        candidate = self._ablated(candidate, draft)
        timed = time.monotonic()
        profiled = candidate if draft.screening_only else self._profiled(candidate)
        return _took(profiled, Effort(timing_s=timed - started, profile_s=time.monotonic() - timed))

    def check(self, draft: Revision, summary: str, *, failures: int = 1) -> Candidate:
        """A program that a person wrote: is it right on all cases, known and unseen, and on whatever else is asked?"""
        with self.alone():
            notes = guards.source_notes(guards.SourcePair(self.original.revision, draft)) if self.timed else ()
            candidate = self._run_cases(Candidate(1, draft, summary, notes=notes), failures=failures)
            if candidate.correct:
                more = self._outcomes(draft, self._short_cases(), OTHER_HASH_SEED, failures)
                more += self._outcomes(draft, self.workload.unseen_cases(), THIRD_HASH_SEED, failures)
                candidate = replace(candidate, outcomes=candidate.outcomes + more)
            return self._checked(candidate, Stage.REFERENCE)

    def known(self, draft: Revision, summary: str) -> Candidate:
        """The outcomes of a draft on the known cases alone, up to the first that is wrong."""
        with self.alone():
            return self._run_cases(Candidate(1, draft, summary), failures=1)

    def time(self, candidate: Candidate, seed: int = 0) -> Candidate:
        """The same with a comparison at the full error rate; guards have their say."""
        with self.alone():
            plan = self.workload.require_plan()
            compared = self._compared(candidate, plan, self.workload.rule.final(), seed=seed + candidate.round)
            return self._guarded(compared, plan, ())

    def confirm(self, candidate: Candidate, share: float = 1.0) -> Candidate:
        """The same candidate with new figures: fresh pairs, another hash seed, and cases that nobody has seen.

        share: of the stated error, which all confirmations of a run have together.
        """
        self.notify("confirming with fresh timings and cases that were never shown")
        with self.alone():
            started = time.monotonic()
            candidate = self.workload.trimmed(candidate)
            unseen = self.workload.unseen_cases()
            outcomes = self._outcomes(candidate.revision, self.suite.cases, OTHER_HASH_SEED)
            outcomes += self._outcomes(candidate.revision, unseen, THIRD_HASH_SEED)
            caveats = tuple(each for each in candidate.checked if each.subject is not Subject.SPEED)
            confirmed = replace(candidate, outcomes=outcomes, comparison=None, checked=caveats, effort=Effort())
            confirmed = self._checked(confirmed, Stage.CONFIRMATION)
            checked = time.monotonic()
            if confirmed.correct and self.timed:
                plan = self.workload.confirmation_plan(unseen)
                seed = CONFIRMATION_SEED + candidate.round
                rule = self.workload.rule.final(share)
                confirmed = self._guarded(self._compared(confirmed, plan, rule, seed), plan, unseen)
            return _took(confirmed, Effort(cases_s=checked - started, timing_s=time.monotonic() - checked))

    def growth(self, draft: Revision) -> GrowthPair | None:
        """How the cost of the original and of a draft grows with the input; None where nothing can be told."""
        self.notify("fitting growth")
        with self.alone():
            return self.workload.growth(draft)

    def _run_cases(
        self, candidate: Candidate, known: tuple[Outcome, ...] = (), failures: int = MAX_FAILURES
    ) -> Candidate:
        outcomes = known or self._outcomes(candidate.revision, self.suite.cases, failures=failures)
        return replace(candidate, outcomes=outcomes)

    def _outcomes(
        self, draft: Revision, cases: Sequence[Case], hash_seed: int = 0, failures: int = MAX_FAILURES
    ) -> tuple[Outcome, ...]:
        """Outcomes of the cases in order, up to so many that are wrong."""
        outcomes: list[Outcome] = []
        wrong = 0
        for number, case in enumerate(cases, 1):
            self.notify(f"case {number} of {len(cases)}")
            outcome = self.workload.run_case(draft, case, hash_seed)
            if outcome.verdict is not Verdict.AC:
                outcome = outcome if wrong else self.workload.explain(draft, case, outcome)
                wrong += 1
            outcomes.append(outcome)
            if wrong == failures:
                break
        return tuple(outcomes)

    def _checked(self, candidate: Candidate, stage: Stage) -> Candidate:
        """With what else the workload asks of it; not asked of a draft that is wrong already."""
        if not candidate.correct:
            return candidate
        found = self.workload.check(candidate.revision, stage)
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
        )
        return self._refused(checked)

    def _refused(self, candidate: Candidate) -> Candidate:
        """Strictly a caveat rejects, too."""
        caveats = candidate.caveats if self.strict and candidate.correct else ()
        return replace(candidate, rejection=f"--strict: {caveats[0].words}") if caveats else candidate

    def _compared(self, candidate: Candidate, plan: Plan, rule: StoppingRule, seed: int) -> Candidate:
        doing, rule = "comparing", self._in_time(rule)
        self.notify(doing)
        comparison = compare(
            self.workload.runner, self.original.revision, candidate.revision, plan.cases,
            check=self.suite.check, rule=rule, plan=plan, seed=seed,
            notify=ComparisonProgress(doing, rule, self.notify),
        )  # fmt: skip
        return replace(
            candidate, comparison=comparison, second=self._by_second(candidate, comparison, plan, rule, seed)
        )

    def _in_time(self, rule: StoppingRule) -> StoppingRule:
        """The rule within the time that is left: pairs that are timed count, and a deadline would lose them."""
        left = self.time_left()
        return rule if left is None else replace(rule, max_seconds=min(rule.max_seconds, PAIRS_SHARE * left))

    def _by_second(
        self, candidate: Candidate, first: Comparison, plan: Plan, rule: StoppingRule, seed: int
    ) -> Comparison | None:
        """By the other clock; not asked of what is wrong."""
        if not self.second or first.decision is Decision.REJECTED:
            return None
        rule = replace(rule, clock=self.second)
        runner, check = self.workload.runner, self.suite.check
        other = self.workload.plan_by(plan, rule)
        return compare(
            runner, self.original.revision, candidate.revision, other.cases, check=check, rule=rule, plan=other,
            seed=seed, notify=ComparisonProgress("comparing by the other measure", rule, self.notify),
        )  # fmt: skip

    def _against_best(self, candidate: Candidate, history: History, plan: Plan, rule: StoppingRule) -> Candidate:
        """With pairs of its own with the best draft so far: a step of 1.6x drowns in two intervals of 15x to 28x."""
        best = history.best
        if not self.ranked or best is None or not candidate.faster:
            return candidate
        rule = replace(rule, max_seconds=min(rule.max_seconds, STEP_S))
        pace = ComparisonProgress(f"comparing with round {best.round}", rule, self.notify)
        try:
            comparison = compare(
                self.workload.runner, best.revision, candidate.revision, plan.cases, check=self.suite.check,
                rule=rule, plan=plan, seed=candidate.round, notify=pace,
            )  # fmt: skip
        except OriginalUnsteady:
            return candidate
        return replace(candidate, against_best=AgainstBest(best.round, comparison, best.lead))

    def _short_cases(self) -> list[Case]:
        """Cases that are quick to run again, with sets in another order: as many as take the original SHORT_S."""
        pairs = zip(self.original.outcomes, self.suite.cases, strict=False)
        ordered = sorted(pairs, key=lambda pair: pair[0].run.active_s)
        spent = accumulate(outcome.run.active_s for outcome, _ in ordered)
        return [case for (_, case), seconds in zip(ordered, spent, strict=True) if seconds <= SHORT_S]

    def _guarded(
        self, candidate: Candidate, plan: Plan, unseen: tuple[Case, ...], *, in_round: bool = False
    ) -> Candidate:
        """The candidate with the guards' findings about its gain."""
        if not candidate.correct or candidate.comparison is None:
            return candidate
        gain = guards.Gain(self.workload, candidate.revision, candidate.comparison, plan, unseen, self.notify)
        for finding in guards.gain_findings(gain, faster=candidate.faster, in_round=in_round):
            candidate = _with(candidate, candidate.comparison, finding)
        return self._refused(candidate)

    def _ablated(self, candidate: Candidate, draft: Draft) -> Candidate:
        """With the draft's ablations that are right, and how many times as long as the draft each takes."""
        plan = self.workload.plan
        if not candidate.correct or not draft.ablations or plan is None:
            return candidate
        self.notify("timing it without each of its changes")
        sides = [draft.revision, *(revision for _, revision in draft.ablations)]
        took = time_variants(self.workload.runner, sides, plan, self.suite.check)
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
    """The candidate after a finding."""
    if finding.consequence is guards.Consequence.NOTE:
        return replace(candidate, notes=(*candidate.notes, finding.reason))
    if finding.consequence is guards.Consequence.CAVEAT:
        return replace(candidate, checked=candidate.checked + finding.caveats)
    if finding.consequence is guards.Consequence.NO_GAIN:
        return replace(candidate, comparison=comparison.without_gain(finding.reason, slower=finding.slower))
    if finding.outcome is not None:
        return replace(candidate, outcomes=(*candidate.outcomes, finding.outcome))
    return replace(candidate, rejection=finding.reason)


def _screened(draft: Draft, history: History) -> tuple[Outcome, ...]:
    """Outcomes of the same program from when it was screened; a confirmation has runs of its own."""
    earlier = (c for c in history.candidates if c.screening_only and c.correct and c.revision == draft.revision)
    return next((candidate.outcomes for candidate in earlier), ())


def is_same_program(one: Revision, other: Revision) -> bool:
    """Whether two revisions differ in nothing but comments and layout."""
    pairs = ((one[path], other[path]) for path in one.changed_files(other))
    return one.keys() == other.keys() and all(_shape(a) == _shape(b) for a, b in pairs)


def _shape(text: str) -> str:
    """A file's text without its comments and layout; the text itself where it cannot be read."""
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
