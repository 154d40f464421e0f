"""Layout of known inputs: single lines, lines with a count before them, lines to the end.

It is the shortest description that all known inputs fit. It gives tokens roles, such as the second number of each line
of a block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any

from codeopt.workloads.contract.properties import FEW, resized, resized_rows
from codeopt.workloads.contract.relations import Parts, Path, Relation

Lines = Sequence[Sequence[bytes]]

_INTEGER = re.compile(rb"[+-]?\d{1,40}")
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
        self.numbers: dict[InputField, list[int]] = {}
        """The number of the lines at the head, of each input."""

    def go(self, at: tuple[int, ...], scalars: tuple[InputField, ...], parts: tuple[Part, ...], cost: float) -> None:
        """Describe what follows after these places."""
        self.steps += 1
        # maximum number of steps of the search for a layout
        if cost >= self.cost or self.steps > 3000:
            return
        left = [len(lines) - here for lines, here in zip(self.inputs, at, strict=True)]
        if not any(left):
            self.best, self.cost = parts, cost
            return
        for part, price in (*self._blocks(at, scalars), *self._rests(at, left)):
            sizes = left
            if part.count is not None:
                values = self.numbers[part.count.scalar]
                sizes = [(value + part.count.offset) * len(part.widths) for value in values]
            below = tuple(here + size for here, size in zip(at, sizes, strict=True))
            self.go(below, scalars, (*parts, part), cost + price)
        if all(left):
            width = self._width(at, scalars)
            new: list[InputField] = []
            for token in range(width or 0):
                read = [integer(lines[here][token]) for lines, here in zip(self.inputs, at, strict=True)]
                if None not in read:
                    new.append(InputField(len(parts), 0, token))
                    self.numbers[new[-1]] = [value for value in read if value is not None]
            after = tuple(here + 1 for here in at)
            self.go(after, (*scalars, *new), (*parts, Part((width,))), cost + 1)

    def _blocks(self, at: tuple[int, ...], scalars: tuple[InputField, ...]) -> Iterator[tuple[Part, float]]:
        for role in reversed(scalars):
            values = self.numbers[role]
            for offset in (0, -1, 1):
                if min(values) + offset < 0 or max(values) + offset < 2:
                    continue
                for group in GROUPS:
                    sizes = [(value + offset) * group for value in values]
                    widths = self._widths(at, sizes, group)
                    if widths is not None:
                        price = 1 + 0.3 * (offset != 0) + 0.4 * (group - 1) + widths.count(None)
                        yield Part(widths, GroupCount(role, offset)), price

    def _rests(self, at: tuple[int, ...], left: Sequence[int]) -> Iterator[tuple[Part, float]]:
        # Maximum number of lines of one width that are separate, if all known inputs have as many. More are a block.
        if len(set(left)) == 1 and left[0] <= 6 and len(self.inputs) > 1:
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
        # a line of more tokens is a list, though all known ones have as many
        if len(set(found)) > 1 or found[0] > 8:
            return None
        if found[0] > 1 and any(self.numbers[role] == found for role in scalars):
            return None
        return found[0]


# Numbers that say how long something after them is: of a line, of a block of lines, of the words in it.
#
# A layout is found by such numbers, so that one known input is enough to show them. They are kept true in whatever is
# made, and broken only on purpose.

PLACES = 3
"""Numbers at the beginning of a line that may count what follows them in it."""
Group = tuple[Sequence[Any], tuple[str, ...]]
Record = Sequence[Any]
"""The arguments of one input, or one row of a block."""


@dataclass(frozen=True)
class Tie:
    """The length of what is at one place of a record is a number at another, plus `more`."""

    number: int
    target: int
    rows: bool
    """True of the length of each row."""
    more: int

    def measure(self, record: Record) -> int | None:
        """Return the length. None if it has none, or rows have several."""
        value = record[self.target] if self.target < len(record) else None
        if not self.rows:
            return len(value) if isinstance(value, list | str) else None
        lengths = {len(row) for row in value if isinstance(row, list | str)} if isinstance(value, list) else set()
        return lengths.pop() if len(lengths) == 1 else None

    def holds(self, record: Record) -> bool:
        if len(record) <= self.target:  # a row that was cut; the number is before the target
            return False
        size, number = self.measure(record), record[self.number]
        return type(number) is int and (size == number + self.more or (self.rows and not record[self.target]))

    def fitted(self, record: Record) -> Any:
        """What is at the target, as long as the number says."""
        value, size = record[self.target], record[self.number] + self.more
        if size < 0 or not len(value):
            return value
        return resized_rows(value, size) if self.rows else resized(value, size)

    def words(self, names: Sequence[str]) -> str:
        each = "each row of " if self.rows else ""
        more = f" {'+' if self.more > 0 else '-'} 1" if self.more else ""
        return f"the length of {each}`{names[self.target]}` is `{names[self.number]}`{more}"


def find_ties(records: Sequence[Record]) -> tuple[Tie, ...]:
    """For each target the nearest number before it that says its length in all records."""
    found = []
    for target, rows in product(range(min(map(len, records), default=0)), (False, True)):
        likely = (Tie(number, target, rows, more) for more in (0, -1, 1) for number in range(target - 1, -1, -1))
        tie = next((tie for tie in likely if all(map(tie.holds, records))), None)
        if tie is not None and any(tie.measure(record) is not None for record in records):
            found.append(tie)
    return tuple(found)


def tied(record: Record, ties: Iterable[Tie]) -> list[Any]:
    """Numbers that say the length of the first thing that they count; what else they count is made as long."""
    new, told = list(record), set()
    for tie in ties:
        size = tie.measure(new)
        if tie.number not in told and size is not None:
            new[tie.number] = size - tie.more
        elif size is not None and not tie.holds(new) and type(new[tie.number]) is int:
            new[tie.target] = tie.fitted(new)
        told.add(tie.number)
    return new


def followed(base: Record, new: Record, ties: Sequence[Tie]) -> list[Any]:
    """What a changed number counts, made as long as it says."""
    found = list(new)
    for tie in ties:
        if type(new[tie.number]) is int and new[tie.number] != base[tie.number] and new[tie.target] == base[tie.target]:
            found[tie.target] = tie.fitted([*found[: tie.number], new[tie.number], *found[tie.number + 1 :]])
    return found


def _top(names: Sequence[str], ties: Sequence[Tie], tie: Tie) -> Relation:
    def record(found: Parts) -> list[Any]:
        return [found.values[(name,)] for name in names]

    def repair(found: Parts) -> Mapping[Path, Any]:
        old = record(found)
        new = tied(old, [each for each in ties if each.number == tie.number])
        return {(name,): value for name, value, was in zip(names, new, old, strict=True) if value is not was}

    return Relation(tie.words(names), lambda found: tie.holds(record(found)), repair)


def tie_relations(names: Sequence[str], records: Sequence[Record], ties: Sequence[Tie]) -> Iterator[Relation]:
    """Ties of whole inputs, of the rows of each block, and of lines with a count at their beginning; the shape of
    blocks of numbers whose lengths nothing says."""
    yield from (_top(names, ties, tie) for tie in ties)
    for at, name in enumerate(names):
        blocks = [record[at] for record in records]
        rows = [row for block in blocks if isinstance(block, list) for row in block]
        if rows and all(type(row) is tuple for row in rows):
            inside = find_ties(rows)
            words = [f"word {number + 1}" for number in range(len(rows[0]))]
            for tie in inside:
                yield _each(
                    name, f"in each row of `{name}` {tie.words(words)}", tie.holds,
                    lambda row, tie=tie: tuple(tied(row, [tie])),  # type: ignore[misc]
                )  # fmt: skip
        lists = [row for row in rows if isinstance(row, list)]
        if not lists or len(lists) < len(rows):
            continue
        places = [place for place in range(PLACES) if all(_counts_rest(row, place) for row in lists)]
        even = all(len({len(row) for row in block}) <= 1 for block in blocks)
        if places:
            holds, repair = partial(_counts_rest, place=places[0]), partial(_with_count, place=places[0])
            yield _each(name, f"each row of `{name}` says how many follow", holds, repair)
        elif not even and 2 * sum(type(item) is int for row in lists for item in row) > sum(map(len, lists)):
            yield _shape(name, blocks)
        else:
            yield from _above_words(name, blocks)


def _each(name: str, words: str, holds: Callable[[Any], bool], repair: Callable[[Any], Any]) -> Relation:
    """A relation that each row of a block keeps."""
    path = (name,)

    def kept(found: Parts) -> bool | None:
        return all(map(holds, found.values[path])) if isinstance(found.values.get(path), list) else None

    def put_right(found: Parts) -> Mapping[Path, Any]:
        return {path: [row if holds(row) else repair(row) for row in found.values[path]]}

    return Relation(words, kept, put_right)


def _counts_rest(row: Any, place: int) -> bool:
    return isinstance(row, list) and len(row) > place and row[place] == len(row) - place - 1


def _with_count(row: Any, place: int) -> Any:
    long = isinstance(row, list) and len(row) > place
    return [*row[:place], len(row) - place - 1, *row[place + 1 :]] if long else row


def _shape(name: str, blocks: Sequence[list[list[Any]]]) -> Relation:
    """The lengths of rows of one known input, with the numbers in it that may count something."""
    known = [(list(map(len, block)), _fixed(block)) for block in blocks]

    def holds(found: Parts) -> bool | None:
        block = found.values.get((name,))
        if not isinstance(block, list) or not all(isinstance(row, list) for row in block):
            return None
        lengths = list(map(len, block))
        return any(
            lengths == each and all(block[at][to] == number for (at, to), number in fixed.items())
            for each, fixed in known
        )

    def repair(found: Parts) -> Mapping[Path, Any]:
        rows = [row for row in found.values[(name,)] if row] or [[0]]
        lengths, fixed = min(known, key=lambda each: abs(len(each[0]) - len(rows)))
        new = [list(resized(rows[at % len(rows)], size)) for at, size in enumerate(lengths)]
        for (at, to), number in fixed.items():
            new[at][to] = number
        return {(name,): new}

    return Relation(f"`{name}` has one of the known shapes", holds, repair)


def _above_words(name: str, blocks: Sequence[list[list[Any]]]) -> Iterator[Relation]:
    """Rows of numbers above rows of one word, as of several maps: a number says how many words, or how long ones."""
    known = [group for block in blocks for group in _groups(block)[0]]
    if len(known) < FEW:
        return
    outside = {_groups(block)[1] for block in blocks}
    for place in range(min(PLACES, *(len(numbers) for numbers, _ in known))):
        for words, measure in (("how many words follow it", len), ("how long the words are that follow it", _width)):

            def says(group: Group, place: int = place, measure: Callable[[Any], object] = measure) -> bool:
                return len(group[0]) > place and measure(group[1]) == group[0][place]

            def holds(found: Parts, says: Callable[[Group], bool] = says) -> bool | None:
                rows = found.values.get((name,))
                groups, left = _groups(rows) if isinstance(rows, list) else ([], 0)
                return all(map(says, groups)) and left in outside

            if len({measure(group[1]) for group in known}) > 1 and all(map(says, known)):
                yield Relation(f"in `{name}` a number says {words}", holds)


def _groups(rows: Sequence[Any]) -> tuple[list[Group], int]:
    """Rows of numbers, each with the words below it, and the number of rows that belong to none."""
    found: list[Group] = []
    numbers: Sequence[Any] = ()
    words: list[str] = []
    for row in [*rows, [0]]:
        if isinstance(row, list) and len(row) == 1 and type(row[0]) is str:
            words.append(row[0])
            continue
        if numbers and words:
            found.append((numbers, tuple(words)))
        is_numeric = isinstance(row, list) and all(type(item) is int for item in row)
        numbers, words = row if is_numeric else (), []
    return found, len(rows) - sum(1 + len(words) for _, words in found)


def _width(words: Sequence[str]) -> int:
    """The common length of words; -1 if they have several."""
    lengths = set(map(len, words))
    return lengths.pop() if len(lengths) == 1 else -1


def _fixed(block: Sequence[Sequence[Any]]) -> dict[tuple[int, int], int]:
    """Numbers alone in their row, and those that are a number of items or rows after them."""
    found: dict[tuple[int, int], Any] = {}
    for at, row in enumerate(block):
        counts = {len(block) - at - 1, len(row) - 1, *(len(after) for after in block[at + 1 : at + 2])} - {0}
        found |= {(at, to): item for to, item in enumerate(row) if len(row) == 1 or item in counts}
    return {place: item for place, item in found.items() if type(item) is int and item not in (0, -1)}
