"""The drafts of one critique: judged as they come, and of those that are right only the best is compared at length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from codeopt.core.budget import Effort
from codeopt.core.history import Candidate, Draft, History, Step
from codeopt.engine.judge import Judge, is_same_program

FAILED_WHEN_TIMED = "it was right on every case, and wrong or failing when it was timed next to other candidates"


@dataclass(frozen=True)
class DraftResult:
    """A draft and what was measured of it."""

    draft: Draft
    candidate: Candidate

    @property
    def awaiting_timing(self) -> bool:
        """Return whether it is right and not timed yet."""
        return self.candidate.correct and self.candidate.comparison is None and not self.candidate.ablation


@dataclass
class BestOfK:
    """One round. A draft that is the only one is measured at once, as there is nothing to choose."""

    judge: Judge
    history: History
    shown: History
    """The part of `history` that the proposer saw."""
    single: bool
    keep: Callable[[Sequence[DraftResult]], None] = lambda results: None
    """Receives all drafts of the round, numbered, after each step of judging one."""
    results: list[DraftResult] = field(default_factory=list)

    def add(self, draft: Draft) -> None:
        """Judge one more draft: is it right?"""
        self.results.append(DraftResult(draft, self._known(draft) or self._judged(draft)))

    def select(self) -> list[DraftResult]:
        """All drafts, numbered, the best of them last; it alone is compared with the original."""
        waiting = [result for result in self.results if result.awaiting_timing and self.judge.timed]
        done = [result for result in self.results if result not in waiting]
        first = len(self.history.candidates)
        ordered = self._by_time(waiting)
        failed = [result for result in ordered if not result.candidate.correct]
        right = [result for result in ordered if result.candidate.correct]
        numbered = [_numbered(result, first + at) for at, result in enumerate([*done, *failed, *right])]
        if len(right) > 1:  # these were timed next to each other
            numbered[-len(right) :] = _beside(numbered[-len(right) :])
        if right:
            best = numbered[-1]
            others = numbered[:-1]

            def keep(verdict: Candidate) -> None:
                self.keep([*others, replace(best, candidate=verdict)])

            numbered[-1] = replace(best, candidate=self.judge.finish(best.candidate, best.draft, self.history, keep))
        return numbered

    def _judged(self, draft: Draft) -> Candidate:
        earlier: list[DraftResult] = []
        first = len(self.history.candidates)
        for result in self.results:
            # A right draft that is to be timed next to others is marked as not judged to its end.
            step = Step.TIMING if result.awaiting_timing else result.candidate.step
            earlier.append(replace(result, candidate=replace(result.candidate, step=step)))

        def keep(part: Candidate) -> None:
            so_far = [*earlier, DraftResult(draft, part)]
            self.keep([_numbered(result, first + at) for at, result in enumerate(so_far)])

        if self.single or not self.judge.timed:
            return self.judge.measure(draft, self.shown, keep)
        return self.judge.screen(draft, self.shown, keep)

    def _known(self, draft: Draft) -> Candidate | None:
        """The measurements of the same program elsewhere: by another draft of this round, or in another chain."""
        if draft.problem or draft.screening_only:
            return None
        if any(is_same_program(result.draft.revision, draft.revision) for result in self.results):
            twin = "the same program as another candidate of this round, comments and layout apart"
            return Candidate(0, draft.revision, draft.summary, rejection=twin, model=draft.model)
        seen = {candidate.round for candidate in self.shown.candidates}
        for known in self.history.candidates:
            elsewhere = known.round not in seen and not known.screening_only
            if elsewhere and is_same_program(known.revision, draft.revision):
                return replace(
                    known, summary=draft.summary, model=draft.model, critique="", settled=False, siblings=(),
                    effort=Effort(), notes=(*known.notes, f"measured as round {known.round}, the same program"),
                )  # fmt: skip
        return None

    def _by_time(self, waiting: list[DraftResult]) -> list[DraftResult]:
        """Slowest first, each with the time of its race; those that failed in it are rejected."""
        if len(waiting) < 2:
            return waiting
        took = self.judge.time_side_by_side([result.candidate for result in waiting])
        found = list(zip(took.ratios, waiting, strict=True))
        share = Effort(timing_s=took.seconds / len(waiting))
        raced = []
        for ratio, result in sorted(found, key=lambda pair: -(pair[0] or float("inf"))):
            effort = result.candidate.effort + share
            known = {"rejection": FAILED_WHEN_TIMED} if ratio is None else {"siblings": ((0, ratio),)}
            raced.append(replace(result, candidate=replace(result.candidate, effort=effort, **known)))
        return raced


def _numbered(result: DraftResult, number: int) -> DraftResult:
    return replace(result, candidate=replace(result.candidate, round=number))


def _beside(raced: list[DraftResult]) -> Iterator[DraftResult]:
    took = {result.candidate.round: result.candidate.siblings[0][1] for result in raced}
    for result in raced:
        own = took[result.candidate.round]
        others = tuple((n, round(ratio / own, 4)) for n, ratio in took.items() if n != result.candidate.round)
        yield replace(result, candidate=replace(result.candidate, siblings=others))
