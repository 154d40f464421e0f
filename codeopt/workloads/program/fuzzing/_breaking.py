"""Inputs that break one pattern of all known inputs each, out of many small changes.

The chosen change breaks as few other patterns as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

TRIES = 3
"""Inputs for a relation: the original may fail on the first."""


@dataclass(frozen=True)
class BrokenRelation:
    """An input that was made to break one relation."""

    number: int
    """Number of the relation, among all that the known inputs keep."""
    words: str
    """`no known input has a number there twice`."""
    data: bytes


def break_each(
    kept: Sequence[str],
    candidates: Iterable[bytes],
    broken: Callable[[bytes], frozenset[int]],
    *,
    kinds: Sequence[str] = (),
) -> Iterator[BrokenRelation]:
    """Yield for each pattern the best input that breaks it, then the second best of each, and so on.

    The best one breaks no further pattern, and is short. Each input is yielded once.

    Args:
        kept: Words about each pattern.
        candidates: Mutated inputs.
        broken: Returns the numbers of the patterns that an input breaks.
        kinds: Words by which patterns take turns.
    """
    found: dict[int, list[tuple[int, int, int, bytes]]] = {}
    for at, data in enumerate(dict.fromkeys(candidates)):
        numbers = broken(data)
        for number in numbers:
            found.setdefault(number, []).append((len(numbers), len(data), at, data))
    ranked = {number: [each[-1] for each in sorted(found[number])] for number in sorted(found)}
    given: set[bytes] = set()
    for turn in range(TRIES):
        for number in _by_turns(ranked, kinds or kept):
            best = next((each for each in ranked[number] if each not in given), None)
            if best is not None and (turn == 0 or len(ranked[number]) > turn):
                given.add(best)
                yield BrokenRelation(number, kept[number], best)


def _by_turns(numbers: Iterable[int], kinds: Sequence[str]) -> list[int]:
    """One relation of each kind first, then a second place with the same words, and so on."""
    often: dict[str, int] = {}
    turns = []
    for number in numbers:
        turns.append((often.get(kinds[number], 0), number))
        often[kinds[number]] = often.get(kinds[number], 0) + 1
    return [number for _, number in sorted(turns)]
