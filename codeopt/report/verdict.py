"""The verdict on a version of some code, its words and exit status: what each screen, page and tool shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import Any, Literal

from codeopt.core.errors import Diagnostic, ProgramError
from codeopt.core.evidence import BySize, CaseEvidence, WorkloadEvidence
from codeopt.core.history import Candidate, History, Step
from codeopt.core.sanitize import inline
from codeopt.core.screen import columns
from codeopt.core.words import INCONCLUSIVE, NO_DIFFERENCE, Speedup, counted, directions, factor
from codeopt_sandbox.calls import CallRun
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict, Caveat, ChangedSetting, Outcome
from codeopt_sandbox.sequential_test import LimitAnswer, LimitTest


@dataclass(frozen=True)
class Verdict:
    """The outcome of a judgement, with its evidence."""

    outcome: Decision
    reason: str = ""
    about: About | None = None
    """Subject of an inconclusive verdict. None for any other verdict."""
    speedup: Speedup | None = None
    """Figures of the timed pairs. None if the new version is wrong, or was not timed."""
    caveats: tuple[Caveat, ...] = ()
    """Differences on unusual inputs."""
    settings: tuple[ChangedSetting, ...] = ()
    """Settings of the process that the new version leaves changed and the original does not: why it is rejected."""
    notes: tuple[str, ...] = ()
    """Remarks for people, a line each."""
    by_size: BySize = BySize()
    evidence: WorkloadEvidence = WorkloadEvidence()
    """Checks with their environments and counts, and every gap."""
    limit: LimitTest | None = None
    """Answer about the requested limit. None without a limit."""

    @classmethod
    def of(cls, candidate: Candidate, evidence: WorkloadEvidence, **known: Any) -> Verdict:
        """The verdict on a candidate. known: other fields, in place of the candidate's own."""
        outcome, about = verdict_of(candidate)
        if candidate.tests and candidate.tests.gap:
            evidence = replace(evidence, gaps=(*evidence.gaps, candidate.tests.gap))
        timed = candidate.comparison if outcome is not Decision.WRONG else None
        own = {
            "reason": why(candidate) or (timed.reason if timed else ""),
            "about": about,
            "speedup": Speedup.of(timed) if timed and timed.pairs else None,
            "caveats": candidate.caveats,
            "settings": candidate.settings,
            "notes": candidate.notes,
            "limit": timed.limit if timed else None,
        }
        return cls(outcome, evidence=evidence, **{**own, **known})

    @classmethod
    def of_run(
        cls, history: History, best: Candidate | None, reason: str, evidence: WorkloadEvidence, held_out: int = 0
    ) -> Verdict:
        """The verdict on what a run hands over: the accepted candidate, else the original itself.

        It is inconclusive if none is faster, and the pairs could not decide about one that seemed so.
        held_out: number of cases that no proposer saw.
        """
        evidence = _of_run(evidence, history.original, best, held_out)
        if best is not None:
            return cls.of(best, evidence, reason=reason, settings=(), limit=None)
        unfinished = next((each for each in reversed(history.candidates[1:]) if each.step is not None), None)
        if unfinished is not None:
            timed = unfinished.comparison if unfinished.correct else None
            return cls.not_judged(reason, speedup=Speedup.of(timed) if timed else None, evidence=evidence)
        undecided = history.undecided
        if history.best or undecided is None or undecided.comparison is None:
            return cls(Decision.SAME, reason, evidence=evidence)
        return cls(Decision.INCONCLUSIVE, reason, About.SPEED, Speedup.of(undecided.comparison), evidence=evidence)

    @classmethod
    def not_judged(cls, reason: str, **known: Any) -> Verdict:
        """The new version could not be judged to the end. known: other fields."""
        return cls(Decision.INCONCLUSIVE, reason, About.RESULT, **known)

    def with_gaps(self, *gaps: Diagnostic) -> Verdict:
        """The verdict with more things that could not be run or measured."""
        return replace(self, evidence=replace(self.evidence, gaps=(*self.evidence.gaps, *gaps)))

    @property
    def is_judged(self) -> bool:
        """The new version was judged to the end."""
        return self.about is not About.RESULT

    @property
    def is_bound(self) -> bool:
        """The new version was given up: its figures are an upper bound of the speedup."""
        return self.speedup is not None and not self.speedup.pairs

    @property
    def breaks_limit(self) -> bool:
        """Slower by more than the limit, with confidence."""
        return self.limit is not None and self.limit.answer is LimitAnswer.FAIL

    @property
    def exit_status(self) -> int:
        """Return the exit status by the tables of outcomes and limits; of both 1 counts before 5."""
        outcome = OUTCOMES[self.outcome, self.about].exit_status
        limit = LIMITS[self.limit.answer].exit_status if self.limit else 0
        return min(filter(None, (outcome, limit)), default=0)

    @property
    def words(self) -> str:
        """The outcome for people, who read `less memory` where JSON says `faster`."""
        return words_of(self.outcome, self.about, self.speedup.metric if self.speedup else "wall")

    @property
    def gain(self) -> str:
        """`1.25x faster   45 ms -> 36 ms CPU time   (95% CI ...)`; of a bound `at least 8.0x slower`.

        The reason in place of figures that contradict it: what is faster in pairs can be slower on a whole input.
        """
        if self.speedup is None:
            return self.words
        if self.is_bound:
            return f"at least {self.speedup.gain}"
        if self.outcome is Decision.SLOWER and self.speedup.ratio > 1:
            return f"{self.words}: {inline(self.reason, 500)}"
        return self.speedup.by(Decision.INCONCLUSIVE if not self.is_judged else self.outcome)


def _of_run(known: WorkloadEvidence, original: Candidate, best: Candidate | None, held_out: int) -> WorkloadEvidence:
    """The evidence of a workload with the runs of a whole improvement."""
    runs = len(best.outcomes) if best and best.confirmed else 0
    total = len(original.outcomes)
    cases = replace(known.cases or CaseEvidence(0), total=total, held_out=held_out, confirmation_runs=runs)
    profile = original.profile
    if profile is None or profile.lines:
        return replace(known, cases=cases)
    gap = Diagnostic("the hot lines of the original are not known", "; ".join(profile.notes))
    return replace(known, cases=cases, gaps=(*known.gaps, gap))


# Outcomes of a judgement: one table of words and exit statuses, from which the screen, JSON and pages take them.

SCREENED: Literal["screened"] = "screened"
"""Verdict of a round that was only timed next to others."""
UNFINISHED = "not finished"
"""Word for a candidate that was not judged to its end."""

NOT_CONFIRMED = "screened, not confirmed"
"""Beginning of the caveat on a result of --quick."""


class About(StrEnum):
    """Subject of an inconclusive verdict."""

    RESULT = "result"
    """The new version could not be judged to the end."""
    SPEED = "speed"
    """The new version is right; the pairs could not decide about its speed, or none was made."""


class FailureKind(StrEnum):
    """The way in which a candidate is wrong."""

    WRONG_OUTPUT = "wrong_output"
    ERROR = "error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    GUARD = "guard"
    """A guard rejects it; no result is wrong."""


@dataclass(frozen=True)
class OutcomeRow:
    """Words and exit status of one outcome."""

    words: str
    exit_status: int


OUTCOMES = {
    (Decision.FASTER, None): OutcomeRow("faster", 0),
    (Decision.SAME, None): OutcomeRow(NO_DIFFERENCE, 0),
    (Decision.SLOWER, None): OutcomeRow("slower", 0),
    (Decision.WRONG, None): OutcomeRow("wrong result", 1),
    (Decision.INCONCLUSIVE, About.SPEED): OutcomeRow(INCONCLUSIVE, 0),
    (Decision.INCONCLUSIVE, About.RESULT): OutcomeRow(INCONCLUSIVE, ProgramError.exit_status),
}
LIMITS = {
    LimitAnswer.PASS: OutcomeRow("PASS", 0),
    LimitAnswer.FAIL: OutcomeRow("FAIL", 1),
    LimitAnswer.INCONCLUSIVE: OutcomeRow(INCONCLUSIVE, ProgramError.exit_status),
}
_FAILURES = {
    FailureKind.WRONG_OUTPUT: "wrong result", FailureKind.ERROR: "error", FailureKind.TIME_LIMIT: "time limit",
    FailureKind.MEMORY_LIMIT: "memory limit", FailureKind.OUTPUT_LIMIT: "output limit", FailureKind.GUARD: "rejected",
}  # fmt: skip
_OF_A_RUN = {
    CaseVerdict.WA: FailureKind.WRONG_OUTPUT,
    CaseVerdict.RE: FailureKind.ERROR,
    CaseVerdict.TLE: FailureKind.TIME_LIMIT,
    CaseVerdict.MLE: FailureKind.MEMORY_LIMIT,
    CaseVerdict.OLE: FailureKind.OUTPUT_LIMIT,
}


def words_of(decision: Decision, about: About | None, metric: str = "cpu") -> str:
    """An outcome for people: `faster`, `more memory`, `no measurable difference`, `wrong result`, `inconclusive`."""
    better, worse = directions(metric)
    return {Decision.FASTER: better, Decision.SLOWER: worse}.get(decision, OUTCOMES[decision, about].words)


def failure_of(candidate: Candidate) -> FailureKind | None:
    """The way in which a candidate is wrong. None: it is right."""
    failed = next((o.verdict for o in candidate.outcomes if o.verdict is not CaseVerdict.AC), None)
    if failed:
        return _OF_A_RUN[failed]
    if candidate.rejection:
        return FailureKind.GUARD
    found = candidate.comparison
    if found is None or found.decision is not Decision.WRONG:
        return None
    return FailureKind.TIME_LIMIT if found.overrun else FailureKind.WRONG_OUTPUT


def verdict_of(candidate: Candidate) -> tuple[Decision, About | None]:
    """The outcome of a candidate. One that is right and was not timed is inconclusive about its speed.

    A text has a score and no speed.
    """
    if failure_of(candidate):
        return Decision.WRONG, None
    if candidate.step is not None:
        return Decision.INCONCLUSIVE, About.RESULT
    if candidate.scores and candidate.comparison is None:
        return Decision.SAME, None
    found = candidate.comparison.decision if candidate.comparison else Decision.INCONCLUSIVE
    return found, About.SPEED if found is Decision.INCONCLUSIVE else None


def so_far(candidate: Candidate) -> str:
    """Describe what is known of a candidate that was not judged to its end: its results, its screening, its tests."""
    if failure_of(candidate):
        return why(candidate)
    if not candidate.correct:
        return "interrupted before its results were known"
    found = candidate.comparison
    of_command = any(each.case == "command" for each in candidate.outcomes)
    known = ["right on the command" if of_command else "right on all that was tried"]
    if found and found.pairs:
        known.append(f"about {Speedup.of(found).gain} (screened, {counted(found.pairs, 'pair')})")
    elif candidate.step is not Step.CHECKS:
        known.append("not timed")
    return ", ".join([*known, *([candidate.tests.words] if candidate.tests else [])])


def is_screened(candidate: Candidate) -> bool:
    """Return True if a right candidate was timed only next to others, so that it has no outcome of its own."""
    return candidate.screening_only and not failure_of(candidate)


def word_of(candidate: Candidate) -> str:
    """An outcome for people, in a word or two: `faster`, `wrong result`, `no difference`."""
    if failure := failure_of(candidate):
        return _FAILURES[failure]
    if candidate.step is not None:
        return UNFINISHED
    if candidate.comparison is None:
        return SCREENED if candidate.screening_only else "correct"
    decision, about = verdict_of(candidate)
    return "no difference" if decision is Decision.SAME else words_of(decision, about)


def candidate_in_words(candidate: Candidate) -> str:
    """`1.2x faster`, `wrong result`: an outcome with its figure, if it has one."""
    found = candidate.comparison
    decision = verdict_of(candidate)[0]
    timed = found is not None and (
        decision is Decision.FASTER or (decision is Decision.SLOWER and found.ratio < 1)  # not on a whole input alone
    )
    return Speedup.of(found).gain if found and timed else word_of(candidate)


def why(candidate: Candidate) -> str:
    """Return the reason why a candidate is wrong or rejected, in one line. Empty if it is neither."""
    failed = next((o for o in candidate.outcomes if o.verdict is not CaseVerdict.AC), None)
    reason = candidate.rejection or (_failing(failed) if failed else "")
    if not reason and candidate.comparison and candidate.comparison.decision is Decision.WRONG:
        reason = candidate.comparison.reason
    return inline(reason, 500) if reason else ""


def _failing(outcome: Outcome) -> str:
    """Return the fault of a case. Cases of calls have names of our own, which say nothing to a user."""
    return outcome.detail if isinstance(outcome.run, CallRun) else f"case {outcome.case}: {outcome.detail}"


# The gain of each edit of a patch: the lines that people read below a result, and the fields of its JSON.

THE_COMMAND = "the command"
"""Name of what is timed where the command is long enough."""


def has_edits(found: Mapping[str, Any]) -> bool:
    """Return whether a result is a patch of several files."""
    return "edits" in found


def table_of(found: Mapping[str, Any]) -> list[str]:
    """One row an edit of several: without a single one there is the original, whose row is the result."""
    rows = [(figures(edit), f"{_place(edit)}{_size(edit['ablation'])}") for edit in found["edits"]]
    gone = []
    for edit in found["left_out_edits"]:
        why = "the command was never seen to call it" if edit.get("never_called") else "no gain of 3% or more"
        gone.append(f"Left out: {_place(edit)}{_size(edit)} ({why})")
    shown = columns([("without the edit", "edit"), *rows]) if rows and len(rows) + len(gone) > 1 else []
    return [*_bench_rows(found.get("benchmarks")), *shown, *gone]


def _place(edit: Mapping[str, Any]) -> str:
    return f"{inline(edit['file'])}::{inline(edit['qualname'])}"


def _size(found: Mapping[str, Any]) -> str:
    """Name the larger command at which an edit was compared, and whether that was inconclusive.

    Empty for older results.
    """
    at = f", by {inline(found['at'])}" if found.get("at") else ""
    return f"{at}, kept, its gain is inconclusive" if found.get("undecided") else at


def _bench_rows(found: Mapping[str, Any] | None) -> list[str]:
    """One row a benchmark, by its own name and clock."""
    lines = []
    for row in found["rows"] if found else ():
        if row["ratio"] is not None:
            before, after = (f"{median(row[side]) * 1e3:.4g} ms" for side in ("before", "after"))
            lines.append(f"  {before} -> {after}, {factor(row['ratio'])}  {inline(row['name'])}")
    return [f"by {found['harness']}'s own clock", *lines] if found and lines else []


def figures(edit: Mapping[str, Any]) -> str:
    """Loss without this edit: `2.1x slower (2.0x to 2.2x)`; or that the rest needs it."""
    found = edit["ablation"]
    if found["ratio"] is None:
        return "wrong: the rest needs it"
    # A leave-one-out run says new over old.
    low, high = (1 / found[end] if found[end] else None for end in ("ci_high", "ci_low"))
    lost = Speedup(1 / found["ratio"], low, high, 0)
    return f"{lost.gain} ({lost.span})"
