"""New inputs: known ones are mutated, and the original program gives the expected results.

Such inputs expose a candidate that is right only on the given cases. For example, it has a table of answers, a set of
repeated values, 32-bit sums, or abs() because nothing was negative. Some inputs keep all patterns of the known ones
(`_maker`). Others are mutated token by token and mostly do not: `KnownInputs` decides. Inputs are dropped if the
original fails on them, or does not print the same twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from codeopt.workloads.contract.program.known_inputs import KnownInputs, look_at
from codeopt.workloads.contract.program.tokens import range_of, read_text
from codeopt.workloads.program.fuzzing._chains import chains
from codeopt.workloads.program.fuzzing._lengths import Lengthen, longer
from codeopt.workloads.program.fuzzing._maker import (
    RELATED,
    SHORT,
    ConstrainedGenerator,
    SizeTarget,
    shortest_and_longest,
)
from codeopt.workloads.program.fuzzing._small_changes import small_changes
from codeopt.workloads.program.fuzzing._tokens import CHANGES

LARGEST_BASE = 200_000  # bytes; a longer input is not changed token by token
LONG_ENOUGH = 140_000  # bytes; more than two pipe buffers
BASES = 4
WAYS = ("resampled", "even", *RELATED, "one", "repeated", "ends", "shuffled")
MOST_BYTES = 20_000_000
"""Bytes of all changed inputs that the best are chosen among."""
TRIES = 3
"""Inputs for a relation: the original may fail on the first."""


@dataclass(frozen=True)
class MutatedInput:
    name: str
    stdin: bytes
    because: str = ""
    """Property of the known inputs that it breaks; empty where it keeps all that was found."""
    relation: str = ""
    """Relation that it was made to break, by its number; empty where it was made for another reason."""

    @property
    def beyond(self) -> bool:
        """Outside of what the known inputs show."""
        return bool(self.because)


def break_each(
    kept: Sequence[str],
    candidates: Iterable[bytes],
    broken: Callable[[bytes], frozenset[int]],
    *,
    kinds: Sequence[str] = (),
) -> Iterator[MutatedInput]:
    """Yield for each pattern the best input that breaks it, then the second best of each, and so on.

    The best one breaks no further pattern, and is short. Each input is yielded once.

    Args:
        kept: Words about each pattern.
        candidates: Mutated inputs.
        broken: Returns the numbers of the patterns that an input breaks.
        kinds: Words by which patterns take turns.
    """
    found: dict[int, list[tuple[int, int, int, bytes]]] = {}
    for at, data in enumerate(dict.fromkeys(_first(candidates))):
        numbers = broken(data)
        for number in numbers:
            found.setdefault(number, []).append((len(numbers), len(data), at, data))
    ranked = {number: [each[-1] for each in sorted(found[number])] for number in sorted(found)}
    given: set[bytes] = set()
    for turn in range(TRIES):
        for number in _by_turns(ranked, kinds or kept):
            best = next((each for each in ranked[number] if each not in given), None)
            if best is not None and (turn == 0 or len(ranked[number]) > turn):
                yield MutatedInput(f"broken.{len(given)}", best, kept[number], str(number))
                given.add(best)


def _first(candidates: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for data in candidates:
        size += len(data)
        if size > MOST_BYTES:
            break
        yield data


def _by_turns(numbers: Iterable[int], kinds: Sequence[str]) -> list[int]:
    """One relation of each kind first, then a second place with the same words, and so on."""
    often: dict[str, int] = {}
    turns = []
    for number in numbers:
        turns.append((often.get(kinds[number], 0), number))
        often[kinds[number]] = often.get(kinds[number], 0) + 1
    return [number for _, number in sorted(turns)]


def mutated_inputs(
    inputs: Sequence[bytes], *, seed: int, each: int = 2, also_known: Sequence[bytes] = ()
) -> Iterator[MutatedInput]:
    """Changed inputs, some that are longer than every known one first, made as they are asked for. The same seed gives
    the same ones.

    also_known: inputs that are not changed, but say what all known ones keep, and what is large and long.
    """
    everything = [*inputs, *also_known]
    known = look_at(everything)
    made = _alike(known, inputs, everything, random.Random(seed), each)
    changed = _by_tokens(known, inputs, everything, random.Random(seed), each)
    seen = set(everything)
    for pair in zip_longest(made, changed):
        for mutated in pair:
            if mutated is not None and mutated.stdin not in seen:
                seen.add(mutated.stdin)
                yield mutated


def broken_inputs(inputs: Sequence[bytes], *, seed: int, also_known: Sequence[bytes] = ()) -> Iterator[MutatedInput]:
    """Inputs of which each breaks one relation that all known ones keep, the best of each relation first."""
    known = look_at([*inputs, *also_known])
    changes = small_changes(known, inputs, random.Random(seed))
    yield from break_each(known.kept, changes, known.broken)


def _alike(
    known: KnownInputs, inputs: Sequence[bytes], everything: Sequence[bytes], draw: random.Random, each: int
) -> Iterator[MutatedInput]:
    """Made by what the known inputs keep: longer ones, other values, other lengths."""
    if known.layout is None or not any(known.inputs):
        return
    may_change = set(inputs)
    readings = [r for r, data in zip(known.readings, known.inputs, strict=True) if data in may_change]
    if not readings:
        return
    longest = max(map(len, everything))
    looked_at = max(len(data) for data in known.inputs if data in may_change)
    maker = ConstrainedGenerator(known, readings, draw, max(1.0, longest / max(1, looked_at)))
    bases = shortest_and_longest(readings, BASES)
    longer_ones, some = SizeTarget(1.5), SizeTarget(1.0)
    yield from _named("longer", maker.inputs(bases[-1], ("resampled", "shuffled"), longer_ones))
    for nodes, data, because in chains(maker, readings):
        yield MutatedInput(f"chain_of_{nodes}", data, because)
    for turn in range(each):
        for number, base in enumerate(bases):
            kind = "largest" if number == len(bases) - 1 and len(bases) > 1 else "alike"
            ways = WAYS if len(base.write()) < SHORT else WAYS[:2] if turn == 0 else ()
            yield from _named(kind, maker.inputs(base, ways, None if turn == 0 else some), f".{number}.{turn}")
        if turn == 0:
            yield from _named("long", maker.inputs(bases[-1], ("resampled",), SizeTarget(1.5, LONG_ENOUGH)))


def _named(kind: str, found: Iterator[tuple[str, bytes]], more: str = "") -> Iterator[MutatedInput]:
    for way, data in found:
        yield MutatedInput(f"{kind}.{way}{more}", data)


def _by_tokens(
    known: KnownInputs, inputs: Sequence[bytes], everything: Sequence[bytes], draw: random.Random, each: int
) -> Iterator[MutatedInput]:
    """Mutate token by token, without repair."""
    bases = sorted({data for data in inputs if len(data) <= LARGEST_BASE}, key=len)[:BASES]
    texts = [read_text(data) for data in bases]
    extent = range_of(texts, everything)

    def lengthened(kind: str, number: int, how: Lengthen) -> Iterator[MutatedInput]:
        if number >= 0 and (data := longer(texts[number], draw, extent, how)) is not None:
            yield MutatedInput(f"{kind}.{number}", data, known.why_beyond(data))

    last = len(texts) - 1
    yield from lengthened("longer", last, Lengthen(1.5, 0, False))
    yield from lengthened("fresh", last, Lengthen(1.5, 0, True))
    for turn in range(each * len(texts)):  # each kind of change once, then each on the next text: a few are enough
        for place, (name, change) in enumerate(CHANGES):
            number = (turn + place) % len(texts)
            data = texts[number].with_tokens(change(texts[number], draw, extent))
            yield MutatedInput(f"{name}.{number}.{turn // len(texts)}", data, known.why_beyond(data))
        if turn == 0:
            for number in (last, last - 1):
                yield from lengthened("long", number, Lengthen(0.0, LONG_ENOUGH, False))
            yield from lengthened("longer", last - 1, Lengthen(1.5, 0, False))
