"""The verdict on a version of some code: each screen, answer, page, review, tool, editor and cache shows this value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from codeopt.core.by_size import BySize
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.evidence import CaseEvidence, WorkloadEvidence
from codeopt.core.history import Candidate, History
from codeopt.core.sanitize import inline
from codeopt.core.words import Speedup
from codeopt.report.outcomes import LIMITS, OUTCOMES, About, verdict_of, why, words_of
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Caveat, ChangedSetting
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
