"""How the cost of a function grows: known calls made longer and longer, each timed on the original and on a draft."""

from __future__ import annotations

from codeopt.workloads.function.bench import Bench
from codeopt.workloads.function.calls.larger import grow
from codeopt.workloads.function.calls.literals import read
from codeopt.workloads.function.evidence import Evidence
from codeopt.workloads.function.observing import Known
from sandbox.calls import CallBatch
from sandbox.growth import CALL_FLOOR_S, GrowthPair, fit, pair

FACTORS = tuple(2**step for step in range(13))
LONGEST_S = 0.05
"""No call is made longer than one that takes the original this long; the draft gets MOST_S."""
MOST_S = 2.0
MOST_CHARACTERS = 400_000
CLOCK_S = 2e-5
"""What reading the clock from outside costs."""
TOO_LITTLE = ("constant", "log n", "sqrt n")
"""What was made longer is not what the time depends on: of that there is nothing to tell."""
BASE_S = 0.002
"""The call that is made longer takes less than this, so that there is room to grow."""


def growth(bench: Bench, evidence: Evidence, draft: str) -> GrowthPair | None:
    """Of the original and of the draft; None where nothing can be told of the original."""
    base = _base(evidence)
    if base is None:
        return None
    old, new = [], []
    for factor in FACTORS:
        text = grow(base.text, factor, factor) if factor > 1 else base.text
        if text is None or len(text) > MOST_CHARACTERS:
            break
        seconds = _seconds(bench, bench.source, text)
        if seconds is None:
            break
        drafted = _seconds(bench, draft, text)
        if drafted is None:
            break
        old.append((_size(text), seconds - CLOCK_S))
        new.append((_size(text), drafted - CLOCK_S))
        if seconds > LONGEST_S or drafted > LONGEST_S:
            break
    was, now = (fit("call", points, CALL_FLOOR_S) for points in (old, new))
    return pair(was, now) if was else None


def growth_of(bench: Bench, evidence: Evidence) -> str:
    """How the original's cost grows, in words with what was measured; empty where nothing can be told."""
    base = _base(evidence)
    points: list[tuple[float, float]] = []
    for factor in FACTORS if base else ():
        text = grow(base.text, factor, factor) if base and factor > 1 else base.text if base else None
        seconds = _seconds(bench, bench.source, text) if text and len(text) <= MOST_CHARACTERS else None
        if seconds is None or text is None:
            break
        points.append((_size(text), max(0.0, seconds - CLOCK_S)))
        if seconds > LONGEST_S:
            break
    found = fit("call", points, CALL_FLOOR_S)
    if found is None or found.model in TOO_LITTLE:
        return ""
    long_enough = [f"{size:,.0f}: {seconds * 1e3:.3g} ms" for size, seconds in points if seconds > CALL_FLOOR_S]
    return f"Growth, measured: about {found.model} in the size of a call ({', '.join(long_enough[-4:])})."


def _base(evidence: Evidence) -> Known | None:
    """The largest of the given calls that are short and can be made longer."""
    given = [known for known in evidence.known if known.source != "derived" and known.returns]
    short = [known for known in given if known.seconds <= BASE_S] or given
    largest = sorted(short, key=lambda known: -_size(known.text))
    return next((known for known in largest if grow(known.text, 2) is not None), None)


def _seconds(bench: Bench, source: str, text: str) -> float | None:
    """CPU seconds of one call, the least of two; None when it does not end well, or takes too long."""
    batch = CallBatch((text,), "time", passes=1, pass_seconds=MOST_S)
    found = []
    for _ in range(2):
        run = bench.runner.run(source, batch.stdin())
        if run.exit != 0 or run.stop:
            return None
        found.append(run.cpu_s)
    return min(found)


def _size(text: str) -> float:
    """Of all that is long in a call; of a call of numbers alone the largest."""
    call = read(text)
    values = call.values if call else []
    lengths = [len(value) for value in values if isinstance(value, list | str | bytes) and len(value) > 2]
    return float(sum(lengths) or max((abs(value) for value in values if type(value) is int), default=1))
