"""The timed calls made again: in smaller sizes, and under a profiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from codeopt.core.call import Call, texts_of
from codeopt.core.evidence import BySize
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup
from codeopt.workloads._sizes import by_size, smaller_ones
from codeopt.workloads.function.corpus.observe import CallTimeLimit, KnownCall, once
from codeopt.workloads.function.harness import FunctionHarness, TimedRuns
from codeopt.workloads.function.timing import Timed
from codeopt.workloads.generated.larger import grow, size_by, unit_of
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.outcome import Case
from codeopt_sandbox.profile import Mode, Profile, profile

MOST_REPEATS = 1000
PASSES = 2
MADE = CallTimeLimit(call=0.25, total=0.25)
"""Time limit of the original on a call that is made as no known one is near the middle, seconds."""


def function_by_size(
    harness: FunctionHarness,
    runner: TimedRuns,
    sides: tuple[Revision, Revision],
    known: Sequence[KnownCall],
    inside: Callable[[Sequence[Call]], Sequence[Call]],
    timed: Timed,
    figures: Speedup,
) -> BySize:
    """The ratio of the timed calls, and those of smaller ones.

    Args:
        harness: The function.
        runner: Runs both sides.
        sides: The original and the change.
        known: Calls to choose from.
        inside: Of some calls those that do not go beyond the contract.
        timed: The timed calls.
        figures: The verdict's figures of these.
    """
    largest, count = timed.largest, len(timed.batch.calls) - timed.batch.warm
    if largest is None or figures.before is None or figures.after is None:
        return BySize()
    of_one = replace(figures, before=figures.before / count, after=figures.after / count)
    unit = unit_of(largest)
    fits = [k for k in known if k.returns and inside([k.call])]
    fits = [k for k in fits if k.vouched] or fits
    sized = [(size_by(unit, k.call), k) for k in fits if k.call.can_change]

    def made(size: float) -> tuple[float, KnownCall] | None:
        base = max((each for each in sized if 1 <= each[0] <= size), key=lambda each: each[0], default=None)
        longer = grow(base[1].call, round(size / base[0])) if base else None
        found = once(harness, inside([longer] if longer else []), MADE)
        return (size_by(unit, longer), found[0]) if longer and found and found[0].returns else None

    def seconds(side: Revision, some: Sequence[KnownCall]) -> list[float] | None:
        # a call is repeated until all take this long: reading the clock from outside costs about 10 microseconds
        counts = tuple(max(1, min(MOST_REPEATS, round(0.002 / max(k.seconds, 1e-6)))) for k in some)
        warm = timed.batch.calls[: timed.batch.warm]
        repeated = texts_of(k.call for k, count in zip(some, counts, strict=True) for _ in range(count))
        # a pass of a draft that takes longer is ended: it is slower, whatever it takes
        batch = CallBatch(
            (*warm, *repeated), "time", passes=PASSES, warm=len(warm), groups=counts, pass_seconds=4.0,
            iterators=timed.batch.iterators, shared=timed.batch.shared,
        )  # fmt: skip
        answer = runner.run(side, batch.stdin()).answer
        if answer is None:
            return None
        took = answer.times.wall if figures.metric == "wall" else answer.times.cpu
        return [min(took[at :: len(some)]) / count for at, count in enumerate(counts)]

    smaller = smaller_ones(sized, size_by(unit, largest), made)
    return by_size(unit, smaller, (size_by(unit, largest), of_one), sides, seconds)


# Profile of a function: the module is imported, the timed calls are made, and both are looked at as programs are.


def profile_function(
    harness: FunctionHarness, timed: Timed, source: str, modes: tuple[Mode, ...] = ("lines",), *, memory: bool = False
) -> Profile:
    """The timed calls, as often as the original's, in one process that has imported the module as its users do.

    memory: the same calls once more, each of them once, for the lines that hold most.
    """
    calls = timed.batch.calls[timed.batch.warm :]
    # the calls are repeated until the original would take this long, and drafts make as many: under the profiler each
    # line takes some twenty times as long, and the whole may take five seconds
    # characters of the calls, repeated; those of large objects are long
    repeats = timed.passes(0.1, max(1, min(200, 20_000_000 // sum(map(len, calls)))))
    found = _profiled(harness, source, calls * repeats, modes)
    if memory:
        held = _profiled(harness, source, calls, ("allocated",))
        # bytes below which a line is not reported
        lines = tuple(line for line in held.memory if line.peak_mib * 2**20 >= 4096)
        found = replace(found, memory=lines, notes=(*found.notes, *held.notes))
    return replace(
        found,
        lines=tuple(line for line in found.lines if line.text.strip()),
        functions=tuple(f for f in found.functions if f.name != "<module>" and f.share),
    )


def _profiled(harness: FunctionHarness, source: str, calls: tuple[str, ...], modes: tuple[Mode, ...]) -> Profile:
    limits = replace(harness.sandbox.limits, seconds=harness.sandbox.limits.seconds * 4 + 80)
    return profile(
        lambda driver, stdin: harness.sandbox.run(driver, stdin, mode="exec", limits=limits),
        source,
        Case("timed", CallBatch(calls, "time").stdin()),
        modes=modes,
        function=harness.target,
    )
