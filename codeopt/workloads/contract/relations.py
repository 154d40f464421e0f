"""Relations between parts of a call, or of a record, that all known ones keep: equal lengths, indices below a length, a
window no wider than its list, a first number below a second, keys of a mapping.

As Daikon finds invariants (Ernst et al. 2001): each that could hold is asked of every known call, and what none breaks
counts if it is improbable by chance. Where the function's text uses one argument as an index of another, few calls are
enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from codeopt.core.call import Constructed, with_part
from codeopt.workloads.contract.function_text import NOTHING_RELIED, Relied
from codeopt.workloads.contract.patterns import EVEN, patterns_of
from codeopt.workloads.contract.properties import FEW, OF_CALLS, EvidenceNeeded, resized, resized_rows
from codeopt.workloads.contract.seen import ARRAY, FRAME, bare

CHANCE = 0.1
"""Largest probability of a relation by chance, had the two parts nothing to do with each other."""
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
Path = tuple[Any, ...]
"""Name of a parameter, then keys of records and places of constructors' arguments."""


@dataclass(frozen=True)
class Parts:
    """Parts of one call by their paths, and the numbers by which they are compared."""

    values: Mapping[Path, Any]
    columns: bool = False
    """True if columns of tables are parts."""

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Lengths, common lengths of rows, and numbers that may say one, by their words."""
        found: dict[str, int] = {}
        for path, value in self.values.items():
            if type(value) is int:
                found[named(path)] = value
            elif type(value).__name__ in ("list", "tuple", "str", "bytes") and not isinstance(path[-1], Column):
                found[f"the length of {named(path)}"] = len(value)
                if isinstance(value, SIZED) and (width := _width(value)):
                    found[f"the length of each row of {named(path)}"] = width
        return found

    @cached_property
    def numbers(self) -> dict[Path, Sequence[float]]:
        """Numbers of a number, and of a list and its lists or int columns."""
        found: dict[Path, Sequence[float]] = {}
        for path, value in self.values.items():
            if type(value) is int or (type(value) is float and math.isfinite(value)):
                found[path] = (value,)
            elif isinstance(value, SIZED):
                ints, width = list(_ints(value, DEPTH)), _width(value)
                if None in ints and 0 < width <= COLUMNS:  # the int columns of a narrow table
                    columns = [[row[at] for row in value[:MOST]] for at in range(width)]
                    ints = [item for column in columns if all(type(item) is int for item in column) for item in column]
                if ints and None not in ints:
                    found[path] = [number for number in ints if number is not None]
        return found

    @cached_property
    def ends(self) -> dict[Path, tuple[float, float]]:
        """Smallest and largest of these numbers."""
        return {path: (min(each), max(each)) for path, each in self.numbers.items()}

    def shows(self, path: Path, size: str) -> int:
        """Return the number of values for which a call counts as evidence of indices below a size: 0 if it shows
        nothing. The largest index must come near to the size. With many numbers that is less probable by chance."""
        sized, value = self.sizes.get(size, 0), self.values.get(path)
        # share of the size that the largest index of a value must reach, 0 to 1
        if sized < LEAST or path not in self.ends or self.ends[path][1] < 0.75 * (sized - 1):
            return 0
        width = _width(value) if isinstance(value, SIZED) else 0
        is_matrix = width > COLUMNS and width >= len(self.values[path])  # which rarely holds indices
        return 0 if is_matrix else 1 + len(self.numbers[path]) // MANY


def parts(given: Mapping[str, Any], *, columns: bool = False) -> Parts:
    """Arguments, the fields of records in them, and what their constructors are given; columns: also those of
    tables."""
    found = (each for name, value in given.items() for each in _within((name,), value, DEPTH, columns=columns))
    return Parts(dict(found), columns)


def _within(path: Path, value: Any, depth: int, *, columns: bool) -> Iterator[tuple[Path, Any]]:
    value = content(bare(value))
    yield path, value
    if columns and isinstance(value, list) and depth and value:
        for step in _columns(value):
            yield from _within((*path, Column(step)), [row[step] for row in value], depth - 1, columns=columns)
    if isinstance(value, Constructed) and depth:
        names = [*range(len(value.args)), *(name for name, _ in value.kwargs)]
        for at, name in enumerate(names[:FIELDS]):
            yield from _within((*path, Argument(name)), value.values[at], depth - 1, columns=columns)
    if isinstance(value, dict) and depth:  # next to the fields of a record another key may lie
        for key in [key for key in value if type(key) is str][:FIELDS]:
            yield from _within((*path, key), value[key], depth - 1, columns=columns)


def _columns(rows: list[Any]) -> Sequence[Any]:
    """Keys that all rows of a table have, or places of rows of one length."""
    if all(type(row) is tuple for row in rows):
        return range(len(rows[0])) if len(set(map(len, rows))) == 1 and len(rows[0]) <= FIELDS else ()
    if not all(isinstance(row, dict) for row in rows):
        return ()
    return [key for key in rows[0] if type(key) is str and all(key in row for row in rows)][:FIELDS]


@dataclass(frozen=True)
class Argument:
    """A step to what a constructor is given."""

    name: int | str


@dataclass(frozen=True)
class Column:
    """A step to the values that all rows of a table have at a place, or under a key."""

    name: int | str


def named(path: Path) -> str:
    """The path in words: `p['edges']`."""
    if isinstance(path[-1], Column):
        name = path[-1].name
        shown = f"word {name + 1}" if isinstance(name, int) else repr(name)
        return f"{shown} of {named(path[:-1])}"
    steps = (f"(argument {s.name + 1})" if isinstance(s, Argument) and isinstance(s.name, int)
             else f".{s.name}" if isinstance(s, Argument) else f"[{s!r}]" for s in path[1:])  # fmt: skip
    return f"`{path[0]}{''.join(steps)}`"


ARRAYS = (ARRAY, FRAME)
"""Makers of values that are looked at as the list, or the mapping of columns, that they are made of."""


def content(value: Any) -> Any:
    """The list that an array is made of, the columns of a data frame, any other value itself."""
    return value.args[0] if isinstance(value, Constructed) and value.maker in ARRAYS and value.args else value


def put(value: Any, steps: Path, new: Any) -> Any:
    """A value with another part at some steps."""
    if isinstance(value, Constructed) and (value.maker == "used" or value.maker in ARRAYS):
        return value.with_value(0, put(value.args[0], steps, new))
    if not steps:
        return new
    step = steps[0]
    if isinstance(step, Column):
        column = put([row[step.name] for row in value], steps[1:], new)
        pairs = zip(value, column, strict=False)  # a row without an item goes
        if isinstance(step.name, str):
            return [{**row, step.name: item} for row, item in pairs]
        return [(*row[: step.name], item, *row[step.name + 1 :]) for row, item in pairs]
    if isinstance(step, Argument):
        names = [*range(len(value.args)), *(name for name, _ in value.kwargs)]
        at = names.index(step.name)
        return value.with_value(at, put(value.values[at], steps[1:], new))
    at = 0 if isinstance(value, list | tuple) and type(step) is not int else step  # a step to each item of a list
    return with_part(value, at, put(value[at], steps[1:], new))


@dataclass(frozen=True)
class Relation:
    """Something that the parts of all known calls keep."""

    words: str
    holds: Callable[[Parts], bool | None]
    """Returns True if a call keeps the relation, None if it does not apply."""
    repair: Callable[[Parts], Mapping[Path, Any]] | None = None
    """Returns other parts with which a call that breaks it keeps it."""
    bounded: Path = ()
    """Numbers that it bounds by a length."""


def repaired(
    relations: Sequence[Relation], given: Mapping[str, Any], spare: Collection[object] = (), *, columns: bool = False
) -> Mapping[str, Any]:
    """Arguments changed so that they keep the relations, as far as these know how. spare: those that they may
    break."""
    found = parts(given, columns=columns)
    for relation in (each for each in relations if each not in spare):
        if relation.repair is None or relation.holds(found) is not False:
            continue
        for path, new in relation.repair(found).items():
            given = {**given, path[0]: put(given[path[0]], path[1:], new)}
        found = parts(given, columns=columns)
    return given


def find_relations(
    calls: Sequence[Parts],
    relied: Relied = NOTHING_RELIED,
    evidence: EvidenceNeeded = OF_CALLS,
    counts: Collection[Path] = (),
) -> tuple[Relation, ...]:
    """Relations that all known calls keep: sizes first, orders last, as that is how they are restored. counts: numbers
    that say a length, and so may be larger than all known ones."""
    if not calls:
        return ()
    told = frozenset(map(named, counts))
    bounds = list(_bounded(calls, evidence.few, told))
    ranges = _ranges(calls, bounds, counts) if evidence.of_inputs else ()
    found = [*_relied_on(calls, relied), *_equal(calls), *ranges, *bounds]
    found += [*_compared(calls), *_keys(calls), *_sums(calls)]
    for path in dict.fromkeys(path for each in calls for path in each.values):
        values = [each.values[path] for each in calls if path in each.values]
        more = evidence.weight / FEW if path[0] in relied.ordered and len(path) == 1 else 0.0
        stated = [words for name, words in relied.stated if path == (name,)]
        learnt = patterns_of(values, evidence, more, stated=stated, column=isinstance(path[-1], Column))
        # of lists of texts of one length in all calls their form tells
        rows = [row for value in values if isinstance(value, Sequence) for row in value]
        of_words = all(type(row) is str for row in rows) and len(set(map(len, rows))) == 1
        found += [_of_pattern(path, each) for each in learnt if each.words != EVEN or not of_words]
    return tuple({each.words: each for each in found}.values())


def _of_pattern(path: Path, pattern: Any) -> Relation:
    def holds(found: Parts) -> bool | None:
        kept = pattern.look(found.values[path]) if path in found.values else None
        return None if kept is None else bool(kept.holds)

    def repair(found: Parts) -> Mapping[Path, Any]:
        try:
            return {path: pattern.repair(found.values[path])}
        except (TypeError, ValueError, IndexError):
            return {}

    words = f"{pattern.words.format(named(path))}"
    return Relation(words, holds, repair if pattern.repair else None)


def _width(value: Sequence[Any]) -> int:
    """Return the length of each row of a table; 0 for other values."""
    rows = {len(row) if isinstance(row, SIZED) else 0 for row in value[:MOST]}
    return max(rows) if len(rows) == 1 else 0


def _ints(value: Sequence[Any], depth: int) -> Iterator[int | None]:
    """Ints of a list, also of lists in it; None where there is anything else."""
    for item in value[:MOST]:
        if type(item) is int:
            yield item
        elif isinstance(item, SIZED) and depth:
            yield from _ints(item, depth - 1)
        else:
            yield None


def _by_chance(ones: Sequence[Any], others: Sequence[Any], holds: Callable[[Any, Any], bool]) -> float:
    """Return the probability that all calls keep a relation, had each the second part of a random one of them."""
    return math.prod(sum(holds(one, other) for other in others) / len(others) for one in ones)


def _equal(calls: Sequence[Parts]) -> Iterator[Relation]:
    """Sizes that are equal in all calls, each with the first of its like."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for name in calls[0].sizes:
        if all(name in each.sizes for each in calls):
            groups.setdefault(tuple(each.sizes[name] for each in calls), []).append(name)
    for sizes, (one, *others) in groups.items():
        if len(sizes) < FEW:
            return
        if sum(size >= LEAST for size in sizes) >= FEW or _by_chance(sizes, sizes, int.__eq__) < CHANCE:
            for other in others:
                yield _equality(one, other, calls[0])


def _equality(one: str, other: str, like: Parts) -> Relation:
    places = {words: path for path in like.values for words in _measures(path)}

    def holds(found: Parts) -> bool | None:
        if one not in found.sizes or other not in found.sizes:
            no_rows = "each row" in one and found.values.get(places.get(one, ())) == []
            return True if no_rows and other in found.sizes else None
        return found.sizes[one] == found.sizes[other]

    def repair(found: Parts) -> Mapping[Path, Any]:
        for changed, right in ((other, one), (one, other)):
            path, size = places[changed], found.sizes[right]
            value = found.values[path]
            if type(value) is int:
                return {path: size}
            if changed.startswith("the length of each row"):
                return {path: resized_rows(value, size)} if size else {}
            if len(value) and size:
                return {path: resized(value, size)}
        return {}

    return Relation(f"{other} is {one}", holds, repair)


def _measures(path: Path) -> tuple[str, ...]:
    return named(path), f"the length of {named(path)}", f"the length of each row of {named(path)}"


def _ranges(calls: Sequence[Parts], bounds: Sequence[Relation], counts: Iterable[Path]) -> Iterator[Relation]:
    """Smallest and largest known numbers; a length bounds some of them already, and may be larger."""
    bounded = {*counts, *(each.bounded for each in bounds)}
    paths = dict.fromkeys(path for each in calls for path in each.ends)
    tables = {path[:-1] for path in paths if isinstance(path[-1], Column)}
    for path in (path for path in paths if path not in tables):
        low = min(each.ends[path][0] for each in calls if path in each.ends)
        high = max(each.ends[path][1] for each in calls if path in each.ends)
        yield _range(path, low, math.inf if path in bounded else high, high)


def _range(path: Path, low: float, high: float, usual: float) -> Relation:
    def holds(found: Parts) -> bool | None:
        return low <= found.ends[path][0] and found.ends[path][1] <= high if path in found.ends else None

    def repair(found: Parts) -> Mapping[Path, Any]:
        def near(value: int) -> int:
            return value if low <= value <= high else int(low + (value - low) % (usual - low + 1))

        value = found.values[path]
        return {path: min(max(value, low), high) if type(value) is float else with_ints(value, near)}

    above = "" if high == math.inf else f" to {high:,}"
    return Relation(f"{named(path)} is from {low:,}{above or ' on'}", holds, repair)


def _bounded(calls: Sequence[Parts], few: int, counts: frozenset[str]) -> Iterator[Relation]:
    """Numbers that are indices below a size, or at most as large."""
    alike: dict[tuple[int | None, ...], list[str]] = {}
    for size in dict.fromkeys(size for each in calls for size in each.sizes):
        alike.setdefault(tuple(each.sizes.get(size) for each in calls), []).append(size)
    for size, *others in alike.values():
        length = any(name.startswith("the length") or name in counts for name in (size, *others))
        for path in dict.fromkeys(path for each in calls for path in each.ends):
            both = [each for each in calls if path in each.ends and size in each.sizes]
            # of a list of numbers and its own length other patterns tell
            of_itself = size == f"the length of {named(path)}" and any(
                all(type(item) is int for item in each.values[path][:MOST]) for each in both
            )
            if size == named(path) or len(both) < 1 or of_itself:
                continue
            low = min(each.ends[path][0] for each in both)
            highest, sizes = [each.ends[path][1] for each in both], [each.sizes[size] for each in both]
            if any(high > most for high, most in zip(highest, sizes, strict=True)):
                continue
            two_numbers = all(type(each.values[path]) is int and size.startswith("`") for each in both)
            below = low >= 0 and all(high < most for high, most in zip(highest, sizes, strict=True))
            if below and not two_numbers and sum(each.shows(path, size) for each in both) >= few:
                yield replace(_index(path, size), bounded=path if length else ())
            elif not two_numbers and len(both) >= few and _by_chance(highest, sizes, lambda a, b: a <= b) < CHANCE:
                listed = any(isinstance(each.values[path], SIZED) for each in both)
                yield replace(_at_most(path, size, listed=listed), bounded=path if length else ())


def _index(path: Path, size: str, words: str = "") -> Relation:
    def holds(found: Parts) -> bool | None:
        if path not in found.ends or size not in found.sizes:
            return None
        low, high = found.ends[path]
        return low >= 0 and high < found.sizes[size]

    def repair(found: Parts) -> Mapping[Path, Any]:
        most = found.sizes[size]
        return {path: with_ints(found.values[path], lambda value: value % most)} if most > 0 else {}

    return Relation(words or f"{named(path)} holds indices below {size}", holds, repair)


def _at_most(path: Path, size: str, *, listed: bool) -> Relation:
    def holds(found: Parts) -> bool | None:
        known = path in found.ends and size in found.sizes
        return found.ends[path][1] <= found.sizes[size] if known else None

    def repair(found: Parts) -> Mapping[Path, Any]:
        most = max(0, found.sizes[size])
        least = 1 if found.ends[path][0] > 0 and most else 0
        new = with_ints(found.values[path], lambda v: v if v <= most else least + v % (most + 1 - least))
        return {path: new}

    return Relation(f"{'each number of ' * listed}{named(path)} is at most {size}", holds, repair)


def with_ints(value: Any, change: Callable[[int], Any]) -> Any:
    """A number, or the ints at all levels of a list, changed."""
    if isinstance(value, SIZED):
        return type(value)(with_ints(item, change) for item in value)
    return change(value) if type(value) is int else change(int(value)) if type(value) is float else value


def _compared(calls: Sequence[Parts]) -> Iterator[Relation]:
    """Two numbers, the first of which is never the larger one."""
    scalars = [path for path, value in calls[0].values.items() if type(value) in (int, float)]
    for one in scalars:
        for other in scalars:
            both = [
                (each.values[one], each.values[other])
                for each in calls
                if all(type(each.values.get(path)) in (int, float) for path in (one, other))
            ]
            if one == other or len(both) < FEW or any(not a <= b for a, b in both) or len(set(both)) < FEW:
                continue
            ones, others = zip(*both, strict=True)
            broken = sum(a > b for a in ones for b in others) / len(both) ** 2
            # Share of the pairs from different calls that break a comparison of two numbers, from which on they are of
            # one scale. Then each call that keeps it by chance does so with one half.
            of_one_scale = broken >= 0.1 and 0.5 ** len(set(both)) < CHANCE / 2
            if of_one_scale or _by_chance(ones, others, lambda a, b: a <= b) < CHANCE:
                near = sum(b - a == 1 for a, b in both)
                yield _ordered(one, other, strict=near >= FEW and all(a < b for a, b in both))


def _ordered(one: Path, other: Path, *, strict: bool) -> Relation:
    def holds(found: Parts) -> bool | None:
        a: Any = found.values.get(one)
        b: Any = found.values.get(other)
        if type(a) not in (int, float) or type(b) not in (int, float):
            return None
        return bool(a < b if strict else a <= b)

    def repair(found: Parts) -> Mapping[Path, Any]:
        low, high = sorted((found.values[one], found.values[other]))
        return {one: low, other: high + (strict and low == high)}

    words = "is below" if strict else "is at most"
    return Relation(f"{named(one)} {words} {named(other)}", holds, repair)


def _keys(calls: Sequence[Parts]) -> Iterator[Relation]:
    """Numbers and texts that are keys of a mapping."""
    paths = dict.fromkeys(path for each in calls for path in each.values)
    for holder in paths:
        for path in paths:
            both = [
                (_atoms(each.values[path]), each.values[holder])
                for each in calls
                if isinstance(each.values.get(holder), dict) and path in each.values and path[:1] != holder[:1]
            ]
            pairs = [(atoms, keys) for atoms, keys in both if atoms]
            if len(pairs) >= FEW and all(each <= keys.keys() for each, keys in pairs):
                ones, others = [each for each, _ in pairs], [keys.keys() for _, keys in pairs]
                if _by_chance(ones, others, lambda a, b: a <= b) < CHANCE:
                    yield _key(path, holder)


def _atoms(value: Any) -> frozenset[Any]:
    """A number or text, or those of a list of them."""
    items = value if isinstance(value, SIZED) else (value,)
    return frozenset(items) if all(type(item) in (int, str) for item in items) else frozenset()


def _key(path: Path, holder: Path) -> Relation:
    def holds(found: Parts) -> bool | None:
        known = path in found.values and isinstance(found.values.get(holder), dict)
        return _atoms(found.values[path]) <= found.values[holder].keys() if known else None

    def repair(found: Parts) -> Mapping[Path, Any]:
        keys, value = list(found.values[holder]), found.values[path]
        if not keys:
            return {}
        right = {item: item if item in found.values[holder] else keys[at % len(keys)]
                 for at, item in enumerate(sorted(_atoms(value), key=repr))}  # fmt: skip
        return {path: type(value)(map(right.get, value)) if isinstance(value, SIZED) else right[value]}

    return Relation(f"{named(path)} is a key of {named(holder)}", holds, repair)


def _sums(calls: Sequence[Parts]) -> Iterator[Relation]:
    """Fractions that have one sum in all calls, as probabilities do."""
    for path in dict.fromkeys(path for each in calls for path in each.values):
        known = [each.values[path] for each in calls if isinstance(each.values.get(path), SIZED)]
        lists = [value for value in known if len(value) > 1]
        if len(lists) < FEW or not all(type(item) is float for value in lists for item in value):
            continue
        total = sum(lists[0])
        if len(set(map(tuple, lists))) >= FEW and all(math.isclose(sum(value), total, rel_tol=1e-6) for value in known):
            yield _sum(path, total)


def _sum(path: Path, total: float) -> Relation:
    def holds(found: Parts) -> bool | None:
        value = found.values.get(path)
        if not isinstance(value, SIZED) or not all(type(item) is float for item in value):
            return None
        return math.isclose(sum(value), total, rel_tol=1e-6)

    def repair(found: Parts) -> Mapping[Path, Any]:
        value = found.values[path]
        size = sum(map(abs, value))
        return {path: type(value)(abs(item) / size * total for item in value)} if 0 < size < math.inf else {}

    return Relation(f"{named(path)} has the sum {total:.6g}", holds, repair)


def _relied_on(calls: Sequence[Parts], relied: Relied) -> Iterator[Relation]:
    """What the function's text relies on, of parameters."""
    for items, at, loops in relied.indices:
        size = f"the length of {named((items,))}"
        words = f"`{at}` holds indices within `{items}`" if loops else f"`{at}` is an index within `{items}`"
        yield from _kept_by_few(_index((at,), size, words), calls)
    for one, other in relied.equal:
        lengths = (f"the length of {named((name,))}" for name in (one, other))
        relation = _equality(next(lengths), next(lengths), Parts({(one,): 0, (other,): 0}))
        yield from _kept_by_few(replace(relation, words=f"`{one}` is as long as `{other}`"), calls)
    for table in relied.tables:
        even = next(iter(patterns_of([[[0], [0], [0]]], replace(OF_CALLS, few=1), OF_CALLS.weight)))
        yield from _kept_by_few(_of_pattern((table,), even), calls)
    for items, count in relied.counts:
        for size in (f"the length of {named((items,))}", f"the length of each row of {named((items,))}"):
            yield from _kept_by_few(_equality(size, named((count,)), Parts({(items,): 0, (count,): 0})), calls)


def _kept_by_few(relation: Relation, calls: Iterable[Parts]) -> Iterator[Relation]:
    found = [kept for each in calls if (kept := relation.holds(each)) is not None]
    if len(found) >= FEW and all(found):
        yield relation
