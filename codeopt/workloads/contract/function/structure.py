"""Sizes and indices within a value that all known values share.

Examples are fields of a record with equal lengths, a graph whose lists hold its own nodes, and a square matrix. Several
known values are needed. The code is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from codeopt.workloads.contract.function.graphs import GraphRelation, graph_relations
from codeopt.workloads.contract.function.seen import FEW, bare
from codeopt.workloads.source.literals import Constructed

DEPTH = 3
"""Levels of records and of lists in lists that are looked at."""
MOST = 5_000
"""Items of a list that are looked at."""
FIELDS = 12
"""Fields of a record that are looked at."""
COLUMNS = 4
"""Widest row of a table whose columns are looked at one by one."""
SIZED = (list, tuple)
LEAST = 3
"""Minimum size that shows an equal size or an index below it. With a smaller size it is likely by chance."""
MANY = 10
"""Number of indices in one value that says as much as another value."""
NEAR = 0.75
"""Share of the size that the largest index of a value must reach, 0 to 1."""


@dataclass(frozen=True)
class Measures:
    """Numbers by which the parts of one value are compared, by the part's name."""

    sizes: Mapping[str, int]
    """Lengths, common lengths of rows, and numbers that may say one."""
    lowest: Mapping[str, int]
    highest: Mapping[str, int]
    """Smallest and largest int of an int, and of a list, whose lists are looked into."""
    numbers: Mapping[str, int]
    """Number of these ints. It is 0 for a matrix, which rarely holds indices."""
    flat: frozenset[str] = frozenset()
    """Lists without a list in them, whose items are no indices of their own."""


@dataclass(frozen=True)
class StructureRelation:
    """Relation between the measures of a value."""

    words: str
    keeps: Callable[[Measures], bool | None]
    """Returns True if measures keep the relation, None if it does not apply."""


@dataclass(frozen=True)
class Structure:
    """Relations that all known values of one parameter keep."""

    name: str = ""
    relations: tuple[StructureRelation, ...] = ()
    graphs: tuple[GraphRelation, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return (*(each.words for each in self.relations), *(each.words for each in self.graphs))

    def broken(self, value: Any) -> str:
        """Relation that a value breaks, in words; empty when it keeps all."""
        found = measures(self.name, value) if self.relations else Measures({}, {}, {}, {})
        broken = next((each.words for each in self.relations if each.keeps(found) is False), "")
        parts = dict(_parts(self.name, value, DEPTH)) if self.graphs and not broken else {}
        return broken or next((each.words for each in self.graphs if each.keeps(parts) is False), "")


def structure(name: str, values: Sequence[Any]) -> Structure:
    """Relations within the known values of a parameter; none where there are too few."""
    found = [measures(name, value) for value in values]
    graphs = graph_relations([dict(_parts(name, value, DEPTH)) for value in values])
    return Structure(name, (*_equal(found), *_within(found)) if found else (), tuple(graphs))


def measures(name: str, value: Any) -> Measures:
    sizes: dict[str, int] = {}
    bounds: dict[str, tuple[int, int]] = {}
    numbers: dict[str, int] = {}
    flat: set[str] = set()
    for path, part in _parts(name, value, DEPTH):
        if type(part) is int:
            sizes[f"`{path}`"] = part
            bounds[f"`{path}`"], numbers[f"`{path}`"] = (part, part), 1
        elif isinstance(part, SIZED):
            sizes[f"the length of `{path}`"] = len(part)
            flat |= {f"`{path}`"} if all(type(item) is int for item in part[:MOST]) else set()
            width = _width(part)
            if width:
                sizes[f"the length of each row of `{path}`"] = width
            if ints := _indices(part, width):
                bounds[f"`{path}`"], numbers[f"`{path}`"] = (min(ints), max(ints)), len(ints) * _may_index(part, width)
    lowest, highest = ({name: ends[at] for name, ends in bounds.items()} for at in (0, 1))
    return Measures(sizes, lowest, highest, numbers, frozenset(flat))


def _parts(path: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """A value, the fields of a record, and what the constructor of an object is given, by their paths."""
    value = bare(value)
    yield path, value
    if isinstance(value, Constructed) and depth:
        given = [
            *((f"(argument {at + 1})", part) for at, part in enumerate(value.args)),
            *((f".{n}", p) for n, p in value.kwargs),
        ]
        for name, part in given[:FIELDS]:
            yield from _parts(f"{path}{name}", part, depth - 1)
    if isinstance(value, dict) and depth and all(type(key) is str for key in value):
        for key in list(value)[:FIELDS]:
            yield from _parts(f"{path}[{key!r}]", value[key], depth - 1)


def _width(value: Sequence[Any]) -> int:
    """Return the length of each row of a table; 0 for other values."""
    rows = {len(row) if isinstance(row, SIZED) else 0 for row in value[:MOST]}
    return max(rows) if len(rows) == 1 else 0


def _indices(value: Sequence[Any], width: int) -> list[int]:
    """Return ints of a list and its inner lists, or of the int columns of a narrow table.

    The list is empty if there is anything else.
    """
    ints = list(_ints(value, DEPTH))
    if None in ints and 0 < width <= COLUMNS:
        columns = [[row[at] for row in value[:MOST]] for at in range(width)]
        ints = [item for column in columns if all(type(item) is int for item in column) for item in column]
    return [] if None in ints else [number for number in ints if number is not None]


def _may_index(value: Sequence[Any], width: int) -> bool:
    return width <= COLUMNS or width < len(value)


def _ints(value: Sequence[Any], depth: int) -> Iterator[int | None]:
    """Ints of a list, also of lists in it; None where there is anything else."""
    for item in value[:MOST]:
        if type(item) is int:
            yield item
        elif isinstance(item, SIZED) and depth:
            yield from _ints(item, depth - 1)
        else:
            yield None


def _are_equal(found: Measures, one: str, other: str) -> bool | None:
    known = one in found.sizes and other in found.sizes
    return found.sizes[one] == found.sizes[other] if known else None


def _is_within(found: Measures, part: str, size: str) -> bool | None:
    """Return True if the numbers of a part are indices below a size."""
    if part not in found.highest or size not in found.sizes:
        return None
    return found.lowest[part] >= 0 and found.highest[part] < found.sizes[size]


def _shown(found: Measures, part: str, size: str) -> int:
    """Return the number of values that one value counts for; 0 if it shows nothing.

    The largest index must come near to the size. With many numbers that is less probable by chance.
    """
    sized = found.sizes.get(size, 0)
    of_itself = part in found.flat and size == f"the length of {part}"
    if sized < LEAST or of_itself or not found.numbers.get(part) or not _is_within(found, part, size):
        return 0
    return 0 if found.highest[part] < NEAR * (sized - 1) else 1 + found.numbers[part] // MANY


def _equal(found: Sequence[Measures]) -> Iterator[StructureRelation]:
    """Sizes that are equal in all values, each with the first of its like."""
    for one, others in _alike(found).items():
        for other in others if sum(each.sizes[one] >= LEAST for each in found) >= FEW else ():
            words = f"in every known call {other} is {one}"
            yield StructureRelation(words, partial(_are_equal, one=one, other=other))


def _alike(found: Sequence[Measures]) -> dict[str, list[str]]:
    """Sizes that all values have, those that are equal in all of them under the first."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for name in found[0].sizes:
        if all(name in each.sizes for each in found):
            groups.setdefault(tuple(each.sizes[name] for each in found), []).append(name)
    return {names[0]: names[1:] for names in groups.values()}


def _within(found: Sequence[Measures]) -> Iterator[StructureRelation]:
    """Ints that are indices in all values where there are any."""
    parts = dict.fromkeys(part for each in found for part in each.highest)
    for size, others in _alike(found).items():
        for part in parts:
            two_numbers = size in parts and part in found[0].sizes
            if part not in (size, *others) and not two_numbers and _is_index(found, part, size):
                words = f"in every known call {part} holds indices below {size}"
                yield StructureRelation(words, partial(_is_within, part=part, size=size))


def _is_index(found: Sequence[Measures], part: str, size: str) -> bool:
    """Return True if enough values show it and no value contradicts it. Further ones can only remove it."""
    is_kept = all(_is_within(each, part, size) is not False for each in found)
    return is_kept and sum(_shown(each, part, size) for each in found) >= FEW
