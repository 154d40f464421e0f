"""Other sizes than the given one: smaller inputs beside the timed one, and a part of an input that takes too long."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import TypeVar

from codeopt.core.evidence import AtSize, BySize
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup, factor
from codeopt.core.words import gain as speed
from codeopt.workloads._guard import AnyGain, Consequence, Finding
from codeopt_sandbox.compare import Decision

T = TypeVar("T")

NEAR = 2.0
"""Most by which a known input may be smaller or larger than the middle one that is wanted."""


def smaller_ones(
    known: Sequence[tuple[float, T]], largest: float, made: Callable[[float], tuple[float, T] | None]
) -> list[tuple[float, T]]:
    """The smallest input and a middle one, with their sizes.

    Args:
        known: Inputs by size.
        largest: The size that is timed.
        made: Makes an input of about a size, where no known one is near the middle.
    """
    known = [each for each in known if each[0] >= 1]  # of an empty input only the fixed cost is known
    smallest = min(known, key=lambda each: each[0], default=None)
    # Least ratio of the timed size to the smallest one: nearer ones say nothing new
    if smallest is None or smallest[0] * 4.0 > largest:
        return []
    wanted = sqrt(smallest[0]) * sqrt(largest)  # the product of two numbers may be beyond a float
    nearest = min(known, key=lambda each: abs(log(each[0] / wanted)))
    middle = nearest if 1 / NEAR <= nearest[0] / wanted <= NEAR else made(wanted)
    return [smallest, middle] if middle and smallest[0] < middle[0] < largest else [smallest]


def by_size(
    unit: str,
    smaller: Sequence[tuple[float, T]],
    timed: tuple[float, Speedup],
    sides: tuple[Revision, Revision],
    seconds: Callable[[Revision, Sequence[T]], Sequence[float] | None],
) -> BySize:
    """The least time of each side on each input, with the row that the verdict has of the timed size.

    seconds: time of a program on each of some inputs; None where one of them fails.
    """
    size, figures = timed
    if not smaller or figures.before is None or figures.after is None or figures.unit == "bytes":
        return BySize()
    (old, new), inputs, found = sides, [each for _, each in smaller], BySize()
    least: dict[Revision, Sequence[float]] = {}
    # Each has two runs of each side. One is enough where all sizes agree: with that 4 runs of inputs that are at most
    # half as long are below 5 % of the CPU time of the 40 and more runs of a verdict.
    for _ in range(2):
        for side in (old, new, new, old):  # a drift of the machine affects both equally
            took = seconds(side, inputs)
            if took is None:
                return BySize()
            least[side] = [min(pair) for pair in zip(took, least.get(side, took), strict=True)]
        times = zip((each for each, _ in smaller), least[old], least[new], strict=True)
        rows = [AtSize(each, was / now, was, now) for each, was, now in times]
        found = BySize(unit, (*rows, AtSize(size, figures.ratio, figures.before, figures.after)))
        if not found.disagreement:
            break
    return found


# Long inputs: pairs are timed on a part that is found by a few runs of the original, and the whole is run once.
#
# Between two measured sizes the time is assumed to grow by a power of the input's size. The search ends when a part
# takes about as long as a pair may.

LONG_S = 2.5
"""Time of the original from which on it is timed on a part, seconds."""
WANTED_S = 0.7
"""Time of the original on the part, seconds."""
WITHIN = 3.0
"""Factor by which the time on the part may be longer or shorter than that."""
TRIES = 5
"""Number of shares that are tried."""
LEAST_S = 1e-3
"""Minimum time of a run that shows how time grows, seconds."""
MOST_LONGER = 1.5
"""Time on the whole, as a multiple of the original's, up to which a draft that is as fast on the part is not slower."""

Part = TypeVar("Part")


def find_part(whole_s: float, run_part: Callable[[float], tuple[float, Part] | None]) -> Part | None:
    """Return the part of an input on which the original takes about WANTED_S, else the nearest that will do. None if
    none was found.

    Args:
        whole_s: Time of the original on the whole, seconds.
        run_part: Runs the original on the first share of the input, and returns the seconds with the part. None ends
            the search.
    """
    tried: list[tuple[float, Part]] = []
    shorter: tuple[float, float] | None = None
    longer = (1.0, whole_s)
    share = WANTED_S / whole_s
    for _ in range(TRIES):
        # Bounds of a part's length, in relation to the whole
        share = min(0.9, max(1e-4, share))
        found = run_part(share)
        if found is None:
            break
        seconds, part = found
        if WANTED_S / WITHIN <= seconds <= WANTED_S * WITHIN:
            return part
        tried.append(found)
        size = share, max(seconds, LEAST_S)
        shorter, longer = (size, longer) if seconds < WANTED_S else (shorter, size)
        if shorter is None:
            power = math.log(longer[1] / whole_s) / math.log(share)
            # Bounds of the power of the input's size by which the time is taken to grow
            share *= (WANTED_S / longer[1]) ** (1 / min(4.0, max(0.3, power)))
        elif shorter[0] < longer[0]:  # between them any power will do: time may grow exponentially
            power = math.log(longer[1] / shorter[1]) / math.log(longer[0] / shorter[0])
            share = shorter[0] * (WANTED_S / shorter[1]) ** (1 / power)
        else:
            break
    # Least time of the original on a part if none of that time was found, seconds, and the largest, as a share of the
    # whole's
    usable = [(seconds, part) for seconds, part in tried if 0.1 <= seconds <= 0.5 * whole_s]
    return min(usable, key=lambda each: abs(math.log(each[0] / WANTED_S)))[1] if usable else None


def part_words(share: float, of: str, seconds: float, whole_s: float) -> str:
    """`the first 5 % of readings.csv (1.2 s of 61 s), in full once`."""
    return f"the first {100 * share:.2g} % of {of} ({seconds:.2g} s of {whole_s:.3g} s), in full once"


def finding_on_whole(
    gain: AnyGain, of: str, took_s: float, whole_s: float, original_again: Callable[[], float]
) -> Finding:
    """Return a note with the figures of one run on the whole, or no gain if that does not show it.

    Args:
        gain: The comparison by pairs on the part.
        of: Name of the input.
        took_s: Time of the draft on the whole, seconds.
        whole_s: Time of the original on the whole, seconds, which may be of another hour.
        original_again: Runs the original on the whole once more, seconds. Called if the gain is in doubt.
    """
    faster = gain.comparison.decision is Decision.FASTER
    # Share of log(speedup) that the whole input must show: it runs once, and reading it is another share of its time.
    least = 1 / 3 * math.log(gain.comparison.ratio) if faster else -math.log(MOST_LONGER)
    took = max(took_s, 1e-6)
    if math.log(whole_s / took) < least:
        whole_s = max(whole_s, original_again())
    ratio = whole_s / took
    figures = f"on the whole of {of} once: {whole_s:.3g} s, {took_s:.3g} s"
    if math.log(ratio) < least:
        why = f"{speed(gain.comparison.ratio)} on a part of {of}, {factor(ratio)} {figures}"
        return Finding(Consequence.NO_GAIN, why, slower=ratio < 1 / MOST_LONGER)
    return Finding(Consequence.NOTE, f"{figures}: {factor(ratio)}")
