"""Inputs that nobody has seen: known ones changed, with the original program as the oracle.

A draft that is right on the cases at hand only (a table of answers, a set where values repeat, 32-bit sums, abs() where
nothing was negative) is found by inputs that differ from them. Text is changed token by token so that its shape
stays: a number that counts what follows is kept, or kept true. An input that the original does not take (it fails, or
does not print the same twice) is thrown away.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from codeopt.fuzzing._lengths import Lengthen, longer
from codeopt.fuzzing._text import range_of, read_text
from codeopt.fuzzing._tokens import CHANGES

LARGEST_BASE = 200_000  # bytes; a longer input is not changed token by token
LONG_ENOUGH = 140_000  # bytes; more than two pipe buffers


@dataclass(frozen=True)
class MutatedInput:
    """One changed input."""

    name: str
    stdin: bytes
    beyond: bool
    """Outside of what the known inputs show: more negative, larger, longer, other words."""


def mutate_inputs(
    inputs: Sequence[bytes], *, seed: int, each: int = 2, also_known: Sequence[bytes] = ()
) -> list[MutatedInput]:
    """Changed inputs, those that are longer than every known one first. The same seed gives the same ones.

    also_known: inputs that are not changed, but say what is large and long.
    """
    draw = random.Random(seed)
    bases = sorted({data for data in inputs if len(data) <= LARGEST_BASE}, key=len)[:4]
    texts = [read_text(data) for data in bases]
    known = range_of(texts, [*inputs, *also_known])
    found: dict[bytes, MutatedInput] = {}

    def lengthen(kind: str, number: int, how: Lengthen) -> None:
        if number >= 0 and (data := longer(texts[number], draw, known, how)) is not None:
            found.setdefault(data, MutatedInput(f"{kind}.{number}", data, True))

    last = len(texts) - 1
    lengthen("longer", last, Lengthen(1.5, 0, False))
    lengthen("fresh", last, Lengthen(1.5, 0, True))
    for turn in range(each * len(texts)):  # each kind of change once, then each on the next text: a few are enough
        for place, (name, beyond, change) in enumerate(CHANGES):
            number = (turn + place) % len(texts)
            data = texts[number].with_tokens(change(texts[number], draw, known))
            found.setdefault(data, MutatedInput(f"{name}.{number}.{turn // len(texts)}", data, beyond))
        if turn == 0:
            for number in (last, last - 1):
                lengthen("long", number, Lengthen(0.0, LONG_ENOUGH, False))
            lengthen("longer", last - 1, Lengthen(1.5, 0, False))
    return [mutated for data, mutated in found.items() if data not in set(inputs)]
