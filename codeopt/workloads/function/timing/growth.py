"""Growth of the cost of a function: known calls made longer and longer, each timed on the original and on a draft."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import log2

from codeopt.workloads.function.calls.larger import grow
from codeopt.workloads.function.corpus.corpus import CallCorpus
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.source.literals import LONGEST, Call, Constructed, Recipe, read
from codeopt_sandbox.calls import CallBatch
from codeopt_sandbox.growth import CALL_FLOOR_S, GrowthPair, fit, pair

FACTORS = tuple(2**step for step in range(13))
LONGEST_S = 0.025
"""No call is made longer than one that takes the original this long; the draft gets MOST_S."""
STEADY_S = 0.004
"""Calls that are shorter are timed twice, as a disturbance is much to them."""
MOST_S = 2.0
CLOCK_S = 2e-5
"""Cost of reading the clock from outside, seconds."""
TOO_LITTLE = ("constant", "log n", "sqrt n")
"""Laws of growth that say nothing: what was made longer is not what the time depends on."""
SHORT = 2
"""Length of a value that does not give the size of a call if another value, or a number, is larger."""
BASE_S = 0.002
"""The call that is made longer takes less than this, so that there is room to grow."""


@dataclass(frozen=True)
class _Point:
    """A call of some length, and what it takes: CPU seconds of the original, and of a draft where there is one."""

    size: float
    seconds: tuple[float, ...]


def growth(harness: FunctionHarness, corpus: CallCorpus, draft: str) -> GrowthPair | None:
    """Growth of the original and of the draft; None if the original's is unknown."""
    points = _points(harness, corpus, (harness.source, draft))
    was, now = (fit("call", [(p.size, p.seconds[side]) for p in points], CALL_FLOOR_S) for side in (0, 1))
    return pair(was, now) if was else None


def growth_of(harness: FunctionHarness, corpus: CallCorpus) -> str:
    """Return how the original's cost grows, in words with what was measured; empty if it is unknown."""
    points = [(p.size, max(0.0, p.seconds[0])) for p in _points(harness, corpus, (harness.source,))]
    found = fit("call", points, CALL_FLOOR_S)
    if found is None or found.model in TOO_LITTLE:
        return ""
    long_enough = [f"{size:,.0f}: {seconds * 1e3:.3g} ms" for size, seconds in points if seconds > CALL_FLOOR_S]
    return f"Growth, measured: about {found.model} in the size of a call ({', '.join(long_enough[-4:])})."


def _points(harness: FunctionHarness, corpus: CallCorpus, sources: Sequence[str]) -> list[_Point]:
    """Return points of as many lengths in each run as would take LONGEST_S were the cost quadratic, until one does."""
    base = _base(corpus)
    texts = harness.declared.allowed(_longer_and_longer(base.text)) if base else []
    points: list[_Point] = []
    expected = base.seconds if base else 0.0
    while texts:
        room = max(2.0, (LONGEST_S / max(expected, CLOCK_S)) ** 0.5)
        now, texts = texts[: int(log2(room))], texts[int(log2(room)) :]
        passes = 2 if expected < STEADY_S else 1
        took = [found for source in sources if (found := _seconds(harness, source, now, passes)) is not None]
        if len(took) < len(sources):
            break
        together = zip(now, *took, strict=True)
        points += [_Point(call_size(text), tuple(each - CLOCK_S for each in found)) for text, *found in together]
        expected = max(points[-1].seconds)
        if expected > LONGEST_S:
            break
    return points


def _longer_and_longer(text: str) -> list[str]:
    """A call, and the same with all that is long in it twice, four times, ... as long, while its size can be read."""
    grown = (grow(text, factor, factor) if factor > 1 else text for factor in FACTORS)
    return list(takewhile(lambda each: len(each) <= LONGEST, takewhile(bool, (each or "" for each in grown))))


def _base(corpus: CallCorpus) -> KnownCall | None:
    """The largest of the given calls that are short and can be made longer."""
    given = [known for known in corpus.known if known.source != "generated" and known.returns]
    short = [known for known in given if known.seconds <= BASE_S] or given
    largest = sorted(short, key=lambda known: -call_size(known.text))
    return next((known for known in largest if grow(known.text, 2) is not None), None)


def _seconds(harness: FunctionHarness, source: str, texts: Sequence[str], passes: int) -> list[float] | None:
    """CPU seconds of each call, the least of its passes; None when one does not end well, or takes too long."""
    batch = CallBatch(tuple(texts), "time", passes=passes, groups=(1,) * len(texts), pass_seconds=MOST_S)
    run = harness.runner.run(source, batch.stdin())
    if run.exit != 0 or run.stop or run.answer is None:
        return None
    return [min(run.answer.cpu[at :: len(texts)]) for at in range(len(texts))]


def call_size(text: str) -> float:
    """Size of a call as it is written; 0 of one that cannot be read."""
    call = read(text)
    return size_of(call) if call else 0.0


def size_of(call: Call) -> float:
    """Size of all that is long in a call; of a call of numbers alone the largest, if a float can hold it: no call
    grows by a number that is larger; else that of its short values."""
    lengths = list(_lengths(call))
    numbers = [abs(value) for value in call.values if type(value) is int]
    long = sum(length for length in lengths if length > SHORT)
    return float(long or min(max(numbers, default=sum(lengths)), sys.float_info.max))


def _lengths(value: Call | Constructed) -> Iterator[int]:
    """Lengths of the arguments, and of what objects are made of."""
    for part in value.values:
        if isinstance(part, Recipe):
            yield part.size
        elif isinstance(part, list | str | bytes | dict | set | frozenset):
            yield len(part)
        elif isinstance(part, Constructed):
            yield from _lengths(part)
