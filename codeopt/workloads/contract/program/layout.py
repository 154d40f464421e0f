"""Layout of known inputs: single lines, lines with a count before them, lines to the end.

It is the shortest description that all known inputs fit. It gives tokens roles, such as the second number of each line
of a block. `relations` has the relations of a role.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

Lines = Sequence[Sequence[bytes]]

_INTEGER = re.compile(rb"[+-]?\d{1,40}")
MOST_STEPS = 3000
"""Maximum number of steps of the search for a layout."""
WIDEST = 8
"""A line of more tokens is a list, though all known ones have as many."""
MOST_ROWS = 6
"""Maximum number of lines of one width that are separate, if all known inputs have as many. More are a block."""
OFFSETS = (0, -1, 1)
GROUPS = (1, 2, 3)
"""Lines that are repeated together."""


@dataclass(frozen=True)
class GroupCount:
    """Number of groups of a block: the number at this place, and so many more."""

    scalar: InputField
    offset: int


@dataclass(frozen=True)
class InputField:
    """A place: part of the layout, line of the group, token of the line; token None: all tokens of a list."""

    part: int
    line: int
    token: int | None


@dataclass(frozen=True)
class Part:
    """A single line, or a block of groups of lines."""

    widths: tuple[int | None, ...]
    """Tokens of each line of a group; None: a list, of any length."""
    count: GroupCount | None = None
    rest: bool = False
    """True if the block extends to the end of the input."""

    @property
    def single(self) -> bool:
        """One line."""
        return self.count is None and not self.rest


@dataclass(frozen=True)
class ParsedInput:
    """One input by the layout: the lines of each part."""

    layout: Layout
    parts: tuple[tuple[tuple[bytes, ...], ...], ...]

    def lines(self, role: InputField) -> Lines:
        """The lines at a place, one for each group."""
        return self.parts[role.part][role.line :: len(self.layout.parts[role.part].widths)]

    def tokens(self, role: InputField) -> list[bytes]:
        """All tokens at a place."""
        return [token for line in self.lines(role) for token in (line if role.token is None else (line[role.token],))]


@dataclass(frozen=True)
class Layout:
    """Layout that all known inputs follow."""

    parts: tuple[Part, ...]

    @cached_property
    def roles(self) -> tuple[InputField, ...]:
        """Every place."""
        return tuple(
            InputField(number, line, token)
            for number, part in enumerate(self.parts)
            for line, width in enumerate(part.widths)
            for token in (range(width) if width is not None else (None,))
        )

    def read(self, data: bytes) -> ParsedInput | None:
        """An input by this layout; None for one that does not follow it."""
        lines, at = split(data), 0
        found: list[tuple[tuple[bytes, ...], ...]] = []
        for number, part in enumerate(self.parts):
            size = self._lines(part, found, lines, at, sum(len(later.widths) for later in self.parts[number + 1 :]))
            if size is None or at + size > len(lines):
                return None
            taken = lines[at : at + size]
            widths = part.widths
            if any(widths[i % len(widths)] not in (None, len(line)) for i, line in enumerate(taken)):
                return None
            found.append(tuple(map(tuple, taken)))
            at += size
        return ParsedInput(self, tuple(found)) if at == len(lines) else None

    def _lines(
        self, part: Part, found: Sequence[Sequence[Sequence[bytes]]], lines: Lines, at: int, after: int
    ) -> int | None:
        group = len(part.widths)
        if part.rest:
            size = len(lines) - at - after
            return size if size >= 0 and size % group == 0 else None
        if part.count is None:
            return 1
        role = part.count.scalar
        value = integer(found[role.part][role.line][role.token or 0])
        return None if value is None or value + part.count.offset < 0 else (value + part.count.offset) * group


def integer(token: bytes) -> int | None:
    """A whole number; None for another token."""
    return int(token) if _INTEGER.fullmatch(token) else None


def split(data: bytes) -> list[list[bytes]]:
    """Lines of tokens."""
    return [line.split() for line in data.removesuffix(b"\n").split(b"\n")]


def find_layout(inputs: Sequence[bytes]) -> Layout | None:
    """Return the shortest layout that all of these fit. None if only lines of any kind fit."""
    search = _Search([split(data) for data in inputs])
    search.go(tuple(0 for _ in inputs), (), (), 0.0)
    return Layout(search.best) if search.best else None


class _Search:
    """Depth first, the cheapest description so far in hand."""

    def __init__(self, inputs: Sequence[Lines]) -> None:
        self.inputs = inputs
        self.best: tuple[Part, ...] = ()
        self.cost = float("inf")
        self.steps = 0

    def go(self, at: tuple[int, ...], scalars: tuple[InputField, ...], parts: tuple[Part, ...], cost: float) -> None:
        """Describe what follows after these places."""
        self.steps += 1
        if cost >= self.cost or self.steps > MOST_STEPS:
            return
        left = [len(lines) - here for lines, here in zip(self.inputs, at, strict=True)]
        if not any(left):
            self.best, self.cost = parts, cost
            return
        for part, price in (*self._blocks(at, scalars), *self._rests(at, left)):
            self.go(self._after(part, at, left), scalars, (*parts, part), cost + price)
        if all(left):
            width = self._width(at, scalars)
            new = () if width is None else self._integers(at, len(parts), width)
            after = tuple(here + 1 for here in at)
            self.go(after, (*scalars, *new), (*parts, Part((width,))), cost + 1)

    def _after(self, part: Part, at: tuple[int, ...], left: Sequence[int]) -> tuple[int, ...]:
        sizes = left
        if not part.rest:
            assert part.count is not None
            group = len(part.widths)
            sizes = [(value + part.count.offset) * group for value in self._row_values(part.count.scalar)]
        return tuple(here + size for here, size in zip(at, sizes, strict=True))

    def _blocks(self, at: tuple[int, ...], scalars: tuple[InputField, ...]) -> Iterator[tuple[Part, float]]:
        for role in reversed(scalars):
            values = self._row_values(role)
            for offset in OFFSETS:
                if min(values) + offset < 0 or max(values) + offset < 2:
                    continue
                for group in GROUPS:
                    sizes = [(value + offset) * group for value in values]
                    widths = self._widths(at, sizes, group)
                    if widths is not None:
                        price = 1 + 0.3 * (offset != 0) + 0.4 * (group - 1) + widths.count(None)
                        yield Part(widths, GroupCount(role, offset)), price

    def _rests(self, at: tuple[int, ...], left: Sequence[int]) -> Iterator[tuple[Part, float]]:
        if len(set(left)) == 1 and left[0] <= MOST_ROWS and len(self.inputs) > 1:
            return
        for group in GROUPS:
            if all(size % group == 0 for size in left):
                widths = self._widths(at, list(left), group)
                as_one = group > 1 and widths is not None and len(set(widths)) == 1 and widths[0] is not None
                if widths is not None and not as_one:
                    yield Part(widths, rest=True), 4 + 0.6 * (group - 1) + 2 * widths.count(None)

    def _widths(self, at: tuple[int, ...], sizes: Sequence[int], group: int) -> tuple[int | None, ...] | None:
        """Width of each line of a group; None where the inputs end before."""
        found: list[set[int]] = [set() for _ in range(group)]
        for lines, here, size in zip(self.inputs, at, sizes, strict=True):
            if here + size > len(lines):
                return None
            for number, line in enumerate(lines[here : here + size]):
                found[number % group].add(len(line))
        return tuple(next(iter(each)) if len(each) == 1 else None for each in found)

    def _width(self, at: tuple[int, ...], scalars: tuple[InputField, ...]) -> int | None:
        """Width of a single line; None for a list: of other lengths, many tokens, or as many as a number before
        says."""
        found = [len(lines[here]) for lines, here in zip(self.inputs, at, strict=True)]
        if len(set(found)) > 1 or found[0] > WIDEST:
            return None
        if found[0] > 1 and any(self._row_values(role) == found for role in scalars):
            return None
        return found[0]

    def _row_values(self, role: InputField) -> list[int]:
        """A number of the lines at the head, of each input."""
        return [self._place[role][number] for number in range(len(self.inputs))]

    def _integers(self, at: tuple[int, ...], part: int, width: int) -> tuple[InputField, ...]:
        found = []
        for token in range(width):
            values = [integer(lines[here][token]) for lines, here in zip(self.inputs, at, strict=True)]
            if all(value is not None for value in values):
                role = InputField(part, 0, token)
                self._place[role] = [value for value in values if value is not None]
                found.append(role)
        return tuple(found)

    @cached_property
    def _place(self) -> dict[InputField, list[int]]:
        return {}
