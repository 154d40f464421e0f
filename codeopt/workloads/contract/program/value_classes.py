"""Classes that no known input leaves, said of each place: lists that hold something, whole numbers, numbers that a
float holds, letters of ASCII. A smaller count or a larger number alone does not say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from codeopt.workloads.contract.program.formats import EXACT
from codeopt.workloads.contract.program.layout import InputField, Layout, ParsedInput
from codeopt.workloads.contract.program.relations import InputRelation, RelationKind
from codeopt.workloads.contract.program.tokens import integer

_FRACTION = re.compile(rb"[+-]?\d*\.\d+")


def _is_exact(token: bytes) -> bool:
    return len(token) <= 15 or (value := integer(token)) is None or abs(value) < EXACT


TOKENS: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    ("no known input has a number of 2**53 or more there", _is_exact),
    ("no known input has a fraction there", lambda token: not _FRACTION.fullmatch(token)),
    ("all known words there are ASCII", bytes.isascii),
)
"""Words about a token that breaks it, and whether it holds of one."""


def find_value_classes(layout: Layout, readings: Sequence[ParsedInput]) -> tuple[InputRelation, ...]:
    """The classes that all of these keep."""
    return tuple(each for each in (*_nonempty(layout), *_tokens(layout)) if all(map(each.holds, readings)))


def _nonempty(layout: Layout) -> Iterator[InputRelation]:
    for number, part in enumerate(layout.parts):
        if not part.single:
            yield InputRelation(
                RelationKind.OTHER,
                (InputField(number, 0, None),),
                "no known input is without these lines",
                lambda r, number=number: bool(r.parts[number]),  # type: ignore[misc]
            )
    for role in layout.roles:
        if role.token is None:
            yield InputRelation(
                RelationKind.OTHER,
                (role,),
                "no known input has an empty list there",
                lambda r, role=role: all(map(len, r.lines(role))),  # type: ignore[misc]
            )


def _tokens(layout: Layout) -> Iterator[InputRelation]:
    """Classes of single tokens; another class of a number that counts would be no count."""
    for words, holds in TOKENS:
        for role in layout.roles:
            if role not in layout.counts:
                yield InputRelation(
                    RelationKind.OTHER,
                    (role,),
                    words,
                    lambda r, role=role, holds=holds: all(map(holds, r.tokens(role))),  # type: ignore[misc]
                )
