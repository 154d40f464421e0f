"""Numbers that say how long something after them is: of a line, of a block of lines, of the words in it.

A layout is found by such numbers, so that one known input is enough to show them. They are kept true in whatever is
made, and broken only on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from codeopt.workloads.contract.properties import FEW
from codeopt.workloads.contract.relations import Parts, Path, Relation, resized

MOST = 200_000
"""Largest number that a list is made as long as."""
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
        size, number = self.measure(record), record[self.number]
        return type(number) is int and (size == number + self.more or (self.rows and not record[self.target]))

    def fitted(self, record: Record) -> Any:
        """What is at the target, as long as the number says."""
        value, size = record[self.target], record[self.number] + self.more
        if not 0 <= size <= MOST or not len(value):
            return value
        return [resized(row, size) if len(row) else row for row in value] if self.rows else resized(value, size)

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
        elif not tie.holds(new) and type(new[tie.number]) is int and size is not None:
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


def tie_relations(names: Sequence[str], records: Sequence[Record], ties: Sequence[Tie]) -> tuple[Relation, ...]:
    """Ties of whole inputs, of the rows of each block, and of lines with a count at their beginning; the shape of
    blocks of numbers whose lengths nothing says."""
    return (*(_top(names, ties, tie) for tie in ties), *_of_rows(names, records, {tie.target for tie in ties}))


def _top(names: Sequence[str], ties: Sequence[Tie], tie: Tie) -> Relation:
    def record(found: Parts) -> list[Any]:
        return [found.values[(name,)] for name in names]

    def repair(found: Parts) -> Mapping[Path, Any]:
        old = record(found)
        new = tied(old, [each for each in ties if each.number == tie.number])
        return {(name,): value for name, value, was in zip(names, new, old, strict=True) if value is not was}

    return Relation(tie.words(names), lambda found: tie.holds(record(found)), repair)


def _of_rows(names: Sequence[str], records: Sequence[Record], sized: set[int]) -> Iterator[Relation]:
    for at, name in enumerate(names):
        blocks = [record[at] for record in records]
        rows = [row for block in blocks if isinstance(block, list) for row in block]
        if rows and all(type(row) is tuple for row in rows):
            inside = find_ties(rows)
            words = [f"word {number + 1}" for number in range(len(rows[0]))]
            for tie in inside:
                yield _each(name, f"in each row of `{name}` {tie.words(words)}", tie.holds,
                            partial(_tied_row, tie=tie))  # fmt: skip
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


def _tied_row(row: Any, tie: Tie) -> Any:
    return tuple(tied(row, [tie]))


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
