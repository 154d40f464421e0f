"""The drafts of one critique: judged as they come, and of those that are right only the best is compared at length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from codeopt.core.budget import Effort
from codeopt.core.history import Candidate, Draft, History
from codeopt.engine.judge import Judge, shape_of

FAILED_WHEN_TIMED = "it was right on every case, and wrong or failing when it was timed beside other drafts"


@dataclass(frozen=True)
class Contender:
    """A draft and what was measured of it."""

    draft: Draft
    candidate: Candidate

    @property
    def waits(self) -> bool:
        """It is right, and its time is not known yet."""
        return self.candidate.correct and self.candidate.comparison is None and not self.candidate.ablation


@dataclass
class Contest:
    """One round. A draft that is the only one is measured at once, as there is nothing to choose."""

    judge: Judge
    history: History
    """All candidates so far."""
    shown: History
    """Those of them that the drafts were made from."""
    single: bool
    contenders: list[Contender] = field(default_factory=list)

    def enter(self, draft: Draft) -> None:
        """Judge one more draft: is it right?"""
        self.contenders.append(Contender(draft, self._known(draft) or self._judged(draft)))

    def close(self) -> list[Contender]:
        """All drafts, numbered, the best of them last; it alone is compared with the original."""
        waiting = [contender for contender in self.contenders if contender.waits and self.judge.timed]
        done = [contender for contender in self.contenders if contender not in waiting]
        first = len(self.history.candidates)
        ordered = self._by_time(waiting)
        failed = [contender for contender in ordered if not contender.candidate.correct]
        right = [contender for contender in ordered if contender.candidate.correct]
        numbered = [_numbered(contender, first + at) for at, contender in enumerate([*done, *failed, *right])]
        numbered = _with_siblings(numbered, len(right))
        if right:
            best = numbered[-1]
            numbered[-1] = replace(best, candidate=self.judge.finish(best.candidate, best.draft, self.history))
        return numbered

    def _judged(self, draft: Draft) -> Candidate:
        at_once = self.single or not self.judge.timed
        return self.judge.measure(draft, self.shown) if at_once else self.judge.screen(draft, self.shown)

    def _known(self, draft: Draft) -> Candidate | None:
        """What was measured of the same program elsewhere: by another draft of this round, or in another chain."""
        if draft.problem or draft.screening_only:
            return None
        shape = shape_of(draft.source)
        if any(shape_of(contender.draft.source) == shape for contender in self.contenders):
            twin = "the same program as another draft of this round, but for comments and layout"
            return Candidate(0, draft.source, draft.summary, rejection=twin, model=draft.model)
        seen = {candidate.round for candidate in self.shown.candidates}
        for known in self.history.candidates:
            if known.round not in seen and not known.screening_only and shape_of(known.source) == shape:
                return replace(
                    known, summary=draft.summary, model=draft.model, critique="", settled=False, siblings=(),
                    effort=Effort(), notes=(*known.notes, f"measured as round {known.round}, the same program"),
                )  # fmt: skip
        return None

    def _by_time(self, waiting: list[Contender]) -> list[Contender]:
        """Slowest first, each with the time of its race; those that failed in it are rejected."""
        if len(waiting) < 2:
            return waiting
        took = self.judge.race([contender.candidate for contender in waiting])
        found = list(zip(took.ratios, waiting, strict=True))
        share = Effort(timing_s=took.seconds / len(waiting))
        ordered = sorted(found, key=lambda pair: -(pair[0] or float("inf")))
        return [_raced(contender, ratio, share) for ratio, contender in ordered]


def _raced(contender: Contender, ratio: float | None, share: Effort) -> Contender:
    candidate = replace(contender.candidate, effort=contender.candidate.effort + share)
    if ratio is None:
        return replace(contender, candidate=replace(candidate, rejection=FAILED_WHEN_TIMED))
    return replace(contender, candidate=replace(candidate, siblings=((0, ratio),)))


def _numbered(contender: Contender, number: int) -> Contender:
    return replace(contender, candidate=replace(contender.candidate, round=number))


def _with_siblings(contenders: list[Contender], right: int) -> list[Contender]:
    """The last so many were timed next to each other: each is told of the others, relative to itself."""
    raced = contenders[len(contenders) - right :] if right > 1 else []
    return [*contenders[: len(contenders) - len(raced)], *_beside(raced)]


def _beside(raced: list[Contender]) -> Iterator[Contender]:
    took = {contender.candidate.round: contender.candidate.siblings[0][1] for contender in raced}
    for contender in raced:
        own = took[contender.candidate.round]
        others = tuple((n, round(ratio / own, 4)) for n, ratio in took.items() if n != contender.candidate.round)
        yield replace(contender, candidate=replace(contender.candidate, siblings=others))
