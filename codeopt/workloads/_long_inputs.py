"""Long inputs: pairs are timed on a part that is found by a few runs of the original, and the whole is run once.

Between two measured sizes the time is assumed to grow by a power of the input's size. The search ends when a part takes
about as long as a pair may.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from codeopt.core.words import factor
from codeopt.core.words import gain as speed
from codeopt.workloads._guard import AnyGain, Consequence, Finding
from codeopt_sandbox.compare import Decision

LONG_S = 2.5
"""Time of the original from which on it is timed on a part, seconds."""
WANTED_S = 0.7
"""Time of the original on the part, seconds."""
WITHIN = 3.0
"""Factor by which the time on the part may be longer or shorter than that."""
AT_LEAST_S = 0.1
"""Least time of the original on a part if none of that time was found, seconds."""
AT_MOST = 0.5
"""Largest such time, as a share of the whole's."""
TRIES = 5
"""Number of shares that are tried."""
LEAST_SHARE = 1e-4
"""Lower bound of a part's length, in relation to the whole."""
MOST_SHARE = 0.9
"""Upper bound of the same."""
LEAST_POWER = 0.3
"""Lower bound of the power of the input's size by which the time is taken to grow."""
MOST_POWER = 4.0
"""Upper bound of the same."""
LEAST_S = 1e-3
"""Minimum time of a run that shows how time grows, seconds."""
GAIN_SHARE = 1 / 3
"""Share of log(speedup) that the whole input must show: it runs once, and reading it is another share of its time."""
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
        share = min(MOST_SHARE, max(LEAST_SHARE, share))
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
            share *= (WANTED_S / longer[1]) ** (1 / min(MOST_POWER, max(LEAST_POWER, power)))
        elif shorter[0] < longer[0]:  # between them any power will do: time may grow exponentially
            power = math.log(longer[1] / shorter[1]) / math.log(longer[0] / shorter[0])
            share = shorter[0] * (WANTED_S / shorter[1]) ** (1 / power)
        else:
            break
    usable = [(seconds, part) for seconds, part in tried if AT_LEAST_S <= seconds <= AT_MOST * whole_s]
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
    least = GAIN_SHARE * math.log(gain.comparison.ratio) if faster else -math.log(MOST_LONGER)
    took = max(took_s, 1e-6)
    if math.log(whole_s / took) < least:
        whole_s = max(whole_s, original_again())
    ratio = whole_s / took
    figures = f"on the whole of {of} once: {whole_s:.3g} s, {took_s:.3g} s"
    if math.log(ratio) < least:
        why = f"{speed(gain.comparison.ratio)} on a part of {of}, {factor(ratio)} {figures}"
        return Finding(Consequence.NO_GAIN, why, slower=ratio < 1 / MOST_LONGER)
    return Finding(Consequence.NOTE, f"{figures}: {factor(ratio)}")
