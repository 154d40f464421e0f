"""Blocks of words in an input without a layout, such as several grids.

A block begins with numbers that say how many lines follow and how long these are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from codeopt.workloads.contract.program.tokens import integer

LOOKED_AT = 100_000
"""Bytes of an input whose blocks are looked at."""
FEW_BLOCKS = 3
"""Fewer blocks than these say nothing."""
PLACES = 4
"""Numbers of a line that may count what follows."""
Block = tuple[tuple[int, ...], tuple[bytes, ...]]
"""Numbers of a line, and the words below it, one a line."""
_MEASURES: tuple[tuple[str, Callable[[Sequence[bytes]], set[int]]], ...] = (
    ("how many words follow it", lambda words: {len(words)}),
    ("how long the words are that follow it", lambda words: set(map(len, words))),
)


def blocks(data: bytes) -> list[Block]:
    """Lines of numbers above words, each with its words."""
    found: list[Block] = []
    numbers: tuple[int, ...] = ()
    words: list[bytes] = []
    for line in [*data[:LOOKED_AT].removesuffix(b"\n").split(b"\n"), b"0"]:
        tokens = line.split()
        values = [integer(token) for token in tokens]
        if len(tokens) == 1 and values[0] is None:
            words.append(tokens[0])
            continue
        if numbers and words:
            found.append((numbers, tuple(words)))
        numbers, words = tuple(value for value in values if value is not None), []
        numbers = numbers if len(numbers) == len(values) else ()
    return found


def block_relations(inputs: Sequence[bytes]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the relations between numbers and the words below them that all inputs keep, without accidental ones."""
    known = [block for data in inputs for block in blocks(data)]
    if len(known) < FEW_BLOCKS:
        return []
    found: list[tuple[str, Callable[[bytes], bool]]] = []
    for place in range(min(PLACES, *(len(numbers) for numbers, _ in known))):
        for words, measure in _MEASURES:
            sizes = {tuple(measure(each)) for _, each in known}
            if len(sizes) > 1 and all(_says(block, place, measure) for block in known):
                holds = partial(_all_say, place=place, measure=measure)
                found.append((f"in all known inputs a number says {words}", holds))
    outside = {_outside(data) for data in inputs}
    if found and len(outside) == 1:
        (count,) = outside
        found.append(("in all known inputs numbers are above words", lambda data: _outside(data) == count))
    return found


def _outside(data: bytes) -> int:
    """Number of lines that belong to no block."""
    lines = data[:LOOKED_AT].removesuffix(b"\n").count(b"\n") + 1
    return lines - sum(1 + len(words) for _, words in blocks(data))


def _all_say(data: bytes, place: int, measure: Callable[[Sequence[bytes]], set[int]]) -> bool:
    return all(_says(block, place, measure) for block in blocks(data))


def _says(block: Block, place: int, measure: Callable[[Sequence[bytes]], set[int]]) -> bool:
    numbers, words = block
    return len(numbers) > place and measure(words) == {numbers[place]}
