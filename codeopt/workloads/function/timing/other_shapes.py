"""Find shapes of calls on which a draft is slower than the original, though it is faster on the timed calls: other
shapes of these, and the small calls that are the commonest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeopt.core.revision import Revision
from codeopt.workloads.function.calls.spread import shapes
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.observe import CallTimeLimit, once
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt.workloads.function.timing.plan import Timed
from codeopt_sandbox.calls import CallBatch

BASES = 2
"""Number of timed calls that are made in other shapes."""
SMALL_ONES = 40
"""Number of small calls that are timed together."""
PATIENCE = CallTimeLimit(0.25, 0.4)
"""Time limit of the original on one shape and on all of them, seconds."""
TOTAL_S = 0.25
"""Time limit of the original on all shapes that are timed, seconds."""
PASSES = 3
"""Number of passes of a short shape; a disturbance is little to a long one, which has one pass."""
LONG_S = 0.005
"""Time of the original from which a shape is long, seconds."""
MORE_PASSES = 5
"""Number of further passes of shapes on which the draft seems slower."""
RATIO = 1.2
"""Minimum ratio of a loss."""
LEAST_S = 20e-6
"""Minimum seconds of a loss; reading the clock from outside costs about 10 microseconds."""
PASS_S = 4.0
"""After which a pass of one shape is ended."""


@dataclass(frozen=True)
class InputShape:
    """Calls that are timed together."""

    name: str
    calls: tuple[str, ...]
    seconds: float
    """Time of the original, with all that it takes to show their results, seconds."""


@dataclass(frozen=True)
class Regression:
    """A shape on which a draft is slower."""

    shape: InputShape
    was: float
    now: float
    """Seconds."""

    @property
    def ratio(self) -> float:
        """Time of the draft in relation to the original's."""
        return self.now / max(self.was, 1e-6)


def find_shapes(
    harness: FunctionHarness, corpus: CallCorpus, timed: Timed, inside: Callable[[Sequence[str]], Sequence[str]]
) -> tuple[InputShape, ...]:
    """Shapes that the original can be called with, the quickest first, as many as there is time for.

    inside: of some calls those that do not go beyond the contract.
    """
    calls = timed.batch.calls[timed.batch.warm :]
    made: dict[str, str] = {}
    for seed, text in enumerate(sorted(calls, key=len)[-BASES:]):
        made |= {other: name for name, other in shapes(text, seed).items() if other not in calls}
    known = once(harness, inside(list(made)), PATIENCE)
    found = [InputShape(made[k.text], (k.text,), k.seconds) for k in known if k.returns]
    found = sorted([*_small(corpus, timed), *found], key=lambda shape: shape.seconds)
    spent = 0.0
    kept = []
    for shape in found:
        spent += shape.seconds
        if spent <= TOTAL_S:
            kept.append(shape)
    return tuple(kept)


def _small(corpus: CallCorpus, timed: Timed) -> list[InputShape]:
    """The calls that somebody made, the shortest first; if there are few, generated ones too."""
    own = [k for k in corpus.known if k.returns and k.text not in timed.batch.calls]
    ordered = sorted(own, key=lambda k: (k.source == "generated", len(k.text)))[:SMALL_ONES]
    if not ordered:
        return []
    return [InputShape("the small calls", tuple(k.text for k in ordered), sum(k.seconds for k in ordered))]


@dataclass(frozen=True)
class Sides:
    """An original and a draft, and how both are timed."""

    runner: TimedRuns
    original: Revision
    draft: Revision
    timed: Timed
    wall: bool
    """Whether seconds are wall time."""

    def losses(self, found: Sequence[InputShape]) -> list[Regression]:
        """Shapes on which the draft takes longer beyond the noise, the greatest loss first."""
        sides = (self.original, self.draft)
        short = [each for each in found if each.seconds < LONG_S]
        long = [each for each in found if each.seconds >= LONG_S]
        worse = [*self._worse(short, sides, PASSES), *self._worse(long, sides, 1)]
        if worse:  # drift affects both equally
            order = (self.original, self.draft, self.draft, self.original)
            worse = self._worse([loss.shape for loss in worse], order, MORE_PASSES)
        return sorted(worse, key=lambda loss: -loss.ratio)

    def _worse(self, found: Sequence[InputShape], order: Sequence[Revision], passes: int) -> list[Regression]:
        if not found:
            return []
        least: dict[Revision, list[float]] = {}
        for side in order:
            took = self._seconds(side, found, passes)
            least[side] = [min(pair) for pair in zip(took, least.get(side, took), strict=True)]
        pairs = zip(found, least[self.original], least[self.draft], strict=True)
        return [Regression(shape, was, now) for shape, was, now in pairs if now > was * RATIO and now - was > LEAST_S]

    def _seconds(self, side: Revision, found: Sequence[InputShape], passes: int) -> list[float]:
        """Time of each shape, the least of its passes, seconds. What takes longer than PASS_S counts as that; what ends
        the process also: nothing is gained there."""
        warm = self.timed.batch.calls[: self.timed.batch.warm]
        calls = [text for shape in found for text in shape.calls]
        groups = tuple(len(shape.calls) for shape in found)
        batch = CallBatch(
            (*warm, *calls), "time", passes=passes, warm=len(warm), iterators=self.timed.batch.iterators,
            groups=groups, pass_seconds=PASS_S,
        )  # fmt: skip
        answer = self.runner.run(side, batch.stdin()).answer
        if answer is not None:
            seconds = answer.wall if self.wall else answer.cpu
            return [min(seconds[at :: len(groups)]) for at in range(len(groups))]
        return [PASS_S] if len(found) == 1 else [each for shape in found for each in self._seconds(side, [shape], 1)]
