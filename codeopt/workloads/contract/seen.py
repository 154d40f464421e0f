"""Types and properties that known values show, at any depth.

For example, `[1, 2]` is a list of ints above zero that is never empty. `None` among them is new, and so are a negative
number and an empty list.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from types import NoneType
from typing import Any

from codeopt.core.call import Constructed, Opaque, write
from codeopt.workloads.contract.properties import NUMBERS, OF_CALLS, EvidenceNeeded, Property, properties

MOST = 2000
"""Items of a container that are looked at one by one; of the others the extremes, and one of each type."""
DEPTH = 6
POOL = 40
"""Number of known values that may take the place of an unusual one."""
LARGEST = 400
"""Characters of such a value."""
ITEMS = "items"
"""Role of the items of a list or set."""
KEYS = "keys"
"""Role of the keys of a dictionary."""
VALUES = "values"
"""Role of the values of a dictionary."""
FIELD = "values of "
"""Start of the role of a field of a record."""
ON_THE_SPOT = "an object of class "
"""Start of the name of a type that is a class which no module has."""
LOADED = re.compile(r"load\('[^']*', '([^']*)'\)")
"""Maker of an object: a class by its module and name."""
ARRAY = "load('numpy', 'array')"
FRAME = "load('pandas', 'DataFrame')"
"""Makers of arrays from rows and a type, and of data frames from columns."""
VIEW = "load('operator', 'getitem')"
"""Maker of a view of an array, from the array and an index."""
_MAKER_OF_CLASS = re.compile(r"load\('[^']*', '[^']*'\)\('(\w+)', ")
"""Maker of an object whose class is made on the spot."""
_WORDS = {
    "NoneType": "None", "bool": "a bool", "int": "an int", "float": "a float", "str": "a text", "bytes": "bytes",
    "list": "a list", "tuple": "a tuple", "dict": "a dict", "set": "a set", "frozenset": "a frozenset",
    "complex": "a complex number", "range": "a range", "bytearray": "a bytearray",
    "iter": "an iterator",
}  # fmt: skip
_SCALARS = {"NoneType": "None", **{name: name for name in ("bool", "int", "float", "str", "bytes", "complex")}}
_CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset"})


@dataclass(frozen=True)
class Broken:
    """Something that all known values have, and one has not."""

    words: str
    what: object
    """The property, or the name of a type."""


@dataclass(frozen=True)
class Seen:
    """Values at one place of all known calls."""

    kinds: Mapping[str, Mapping[str, Seen]] = field(default_factory=dict)
    """Parts of values by type and role; parts that no value has are missing."""
    properties: tuple[Property, ...] = ()
    pool: tuple[Any, ...] = ()
    """Some of the values."""

    @cached_property
    def fine(self) -> set[Any]:
        """Whole numbers and texts that break nothing: most come again."""
        return set()

    def fits(self, value: Any) -> bool:
        """Whether a whole number or a text breaks nothing; False for any other value."""
        if type(value) is not int and type(value) is not str:
            return False
        if value in self.fine:
            return True
        fits = type(value).__name__ in self.kinds and all(each.holds(value) for each in self.properties)
        if fits:
            self.fine.add(value)
        return fits

    def missing(self, value: Any) -> str:
        """Describe a type in a value that no known one has. Empty if there is no such type."""
        return next((each.words for each in self.of_types(value)), "")

    def of_types(self, value: Any, where: str = "") -> Iterator[Broken]:
        """Yield the types in a value that no known one has."""
        return (each for each in self.breaks(value, where) if isinstance(each.what, str))

    def breaks(self, value: Any, where: str = "") -> Iterator[Broken]:
        """Yield what all known values lack: properties, and types."""
        value = bare(value)
        kind = kind_of(value)
        yield from (Broken(each.words + where, each) for each in self.properties if not each.holds(value))
        if isinstance(value, Opaque):
            return
        if kind not in self.kinds:
            made_by = LOADED.fullmatch(kind)
            yield Broken((f"an object of class {made_by[1]}" if made_by else _WORDS.get(kind, kind)) + where, kind)
            return
        for role, found in parts_of(value, self.kinds[kind]).items():
            inside = f" among the {role}" if role in (ITEMS, KEYS, VALUES) or role.startswith(FIELD) else where
            known = self.kinds[kind].get(role)
            for part in found if known else ():
                if known and not known.fits(part):
                    yield from known.breaks(part, inside)
            if known is None and role.startswith(FIELD):  # a new key of a record: the types of some known key will do
                alike = sorted(self.kinds[kind].values(), key=lambda each: kind_of(bare(found[0])) not in each.kinds)
                types = [list(each.of_types(found[0], inside)) for each in alike]
                yield from types[0] if all(types) else ()

    def repaired(self, value: Any, spare: Collection[object] = ()) -> Any:
        """Return a near value with the types and properties of the known ones, and a known one in place of a part
        where no near one is known. spare: what it may break, as of `Broken`."""
        if isinstance(value, Opaque) or self.fits(value) or all(each.what in spare for each in self.breaks(value)):
            return value
        if isinstance(value, Constructed) and value.maker == "used" and value.args:
            return value.with_value(0, self.repaired(value.args[0], spare))
        kind = kind_of(value)
        if kind not in self.kinds:
            return value if kind in spare else self._known(value)
        value = self._with_parts(value, self.kinds[kind], spare)
        for each in self.properties:
            if each not in spare and not each.holds(value):
                value = each.repair(value) if each.repair else self._known(value)
        return value

    def _with_parts(self, value: Any, known: Mapping[str, Seen], spare: Collection[object]) -> Any:
        """The value with each of its parts repaired."""
        roles = {role: partial(known.get(role, Seen()).repaired, spare=spare) for role in parts_of(value, known)}
        if isinstance(value, Constructed):  # first: a parameter may be called `items`, too
            names = [*map(str, range(len(value.args))), *(name for name, _ in value.kwargs)]
            for at, name in enumerate(names):
                value = value.with_value(at, roles[name](value.values[at]))
            return value
        if isinstance(value, dict) and KEYS not in roles:
            return {
                key: roles[role](part) if (role := f"{FIELD}{key}") in roles else part for key, part in value.items()
            }
        if isinstance(value, dict):
            key, item = roles[KEYS], roles[VALUES]
            return {hashed(key(name), name): item(part) for name, part in value.items()}
        if ITEMS in roles:
            return type(value)(hashed(roles[ITEMS](part), part) if isinstance(value, set | frozenset)
                               else roles[ITEMS](part) for part in value)  # fmt: skip
        return tuple(roles[str(at)](part) for at, part in enumerate(value)) if roles else value

    def _known(self, value: Any) -> Any:
        """A known value, another one for another value."""
        return self.pool[zlib.crc32(write(value).encode("utf-8", "replace")) % len(self.pool)] if self.pool else value


def hashed(value: Any, usual: Any) -> Any:
    """A value that may be a key or an item of a set; else another one."""
    try:
        hash(value)
    except TypeError:
        return usual
    return value


def seen(values: Sequence[Any], evidence: EvidenceNeeded = OF_CALLS) -> Seen:
    """Types, sizes and parts that values show, each of a call of its own."""
    return _seen([[value] for value in looked_at(list(values))], DEPTH, evidence, nested=False)


def _seen(calls: Sequence[Sequence[Any]], depth: int, evidence: EvidenceNeeded, *, nested: bool) -> Seen:
    groups: dict[str, list[list[Any]]] = {}
    for call in calls:
        of_call: dict[str, list[Any]] = {}
        for value in map(bare, call):
            if not isinstance(value, Opaque):
                of_call.setdefault(kind_of(value), []).append(value)
        for kind, values in of_call.items():
            groups.setdefault(kind, []).append(values)
    kinds = {kind: _parts(each, depth, evidence) for kind, each in groups.items()}
    some = [value for each in groups.values() for values in each for value in values[:POOL]][: 4 * POOL]
    pool = [value for value in some if len(write(value)) <= LARGEST][:POOL]
    return Seen(kinds, properties(groups, evidence, nested=nested), tuple(pool))


def _parts(calls: Sequence[Sequence[Any]], depth: int, evidence: EvidenceNeeded) -> dict[str, Seen]:
    """Values in the parts of values of one type, by role. Records of one length have a role for each place."""
    if not depth or type(calls[0][0]) in _WITHOUT_PARTS:
        return {}
    record = _are_records([value for call in calls for value in call], evidence.few)
    roles: dict[str, list[list[Any]]] = {}
    for call in calls:
        of_call: dict[str, list[Any]] = {}
        for value in call:
            for role, parts in parts_of(value, None if record else {ITEMS: Seen()}).items():
                of_call.setdefault(role, []).extend(parts)
        for role, parts in of_call.items():
            if parts:
                roles.setdefault(role, []).append(parts)
    return {role: _seen(parts, depth - 1, evidence, nested=True) for role, parts in roles.items()}


def _are_records(values: Sequence[Any], few: int) -> bool:
    """Return True for tuples of one length, and for dicts with the same texts as keys."""
    if isinstance(values[0], tuple):
        return len(set(map(len, values))) == 1
    if not isinstance(values[0], dict) or not values[0] or len({frozenset(value) for value in values}) > 1:
        return False
    return len(values) >= few and all(type(key) is str for key in values[0])


_WITHOUT_PARTS = (int, str, float, bool, NoneType)


def parts_of(value: Any, known: Mapping[str, Seen] | None) -> dict[str, list[Any]]:
    """Parts of a value by role. known: the roles that there are; a tuple is a record where it has no items."""
    if type(value) in _WITHOUT_PARTS:  # most are such, and all that follows asks for the type
        return {}
    if isinstance(value, tuple) and (known is None or (ITEMS not in known and str(len(value) - 1) in known)):
        return {str(at): [item] for at, item in enumerate(value)}
    if isinstance(value, tuple) and known is not None and ITEMS not in known:
        return {}
    if isinstance(value, list | tuple | set | frozenset):
        return {ITEMS: looked_at(list(value))}
    if isinstance(value, dict) and (known is None or (known and KEYS not in known and ITEMS not in known)):
        return {f"{FIELD}{key}": [part] for key, part in value.items()}
    if isinstance(value, dict):
        return {KEYS: looked_at(list(value)), VALUES: looked_at(list(value.values()))}
    if isinstance(value, Constructed):
        return {**{str(at): [part] for at, part in enumerate(value.args)}, **{n: [part] for n, part in value.kwargs}}
    return {}


def looked_at(items: list[Any]) -> list[Any]:
    """Return the items that represent a list: the first ones, the smallest and largest number, a zero, one of each
    type, and as many distinct others."""
    rest = items[MOST:]
    if not rest:
        return items
    of_type = dict(zip(map(type, rest), rest, strict=True))  # at C speed: of 30,000 numbers nothing else is needed
    by_value = not {float, Constructed}.isdisjoint(of_type)
    kinds = {kind_of(item): item for item in (rest if by_value else of_type.values())}
    numbers = [item for item in rest if type(item) in (int, float) and abs(item) < math.inf]
    ends = [min(numbers), max(numbers)] if numbers else []
    others = dict.fromkeys(item for item in rest if type(item) in (int, str))
    return [*items[:MOST], *ends, *([0] if 0 in numbers else []), *kinds.values(), *islice(others, MOST)]


def bare(value: Any) -> Any:
    """An object before its methods were called."""
    while isinstance(value, Constructed) and value.maker == "used" and value.args:
        value = value.args[0]
    return value


def kind_of(value: Any) -> str:
    """A type by its name; of an object what makes it. NaN and infinity are no numbers like others."""
    if isinstance(value, Constructed) and value.maker == ARRAY and len(value.args) > 1:
        return f"array of {value.args[1]}" if not value.kwargs else "an array in Fortran order"
    if isinstance(value, Constructed) and value.maker == VIEW:
        return "an array that is a view of another one"
    if isinstance(value, Constructed):
        made = _MAKER_OF_CLASS.match(value.maker)
        return f"{ON_THE_SPOT}{made[1]}" if made else value.maker
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN or infinity"
    return type(value).__name__


def in_one_line(shown: Mapping[str, Seen], relations: Sequence[str]) -> str:
    """`n >= 1; items: non-empty list of int >= 0`: parameters, then relations; empty where no call is known."""
    parts = []
    for name, seen in shown.items():
        bound = _said(seen, NUMBERS[0])
        sign = bool(seen.kinds) and seen.kinds.keys() <= set(NUMBERS) and bound and bound[0] in "<>"
        parts += [f"{name} {bound}" if sign else f"{name}: {_type(seen)}"] if seen.kinds else []
    return "; ".join([*parts, *relations])


def _said(seen: Seen, kind: str) -> str:
    return next(
        (each.says for each in seen.properties if kind in each.kinds and each.says and each.says != "non-empty"), ""
    )


def _type(seen: Seen) -> str:
    """`int >= 0 or None`."""
    return " or ".join(_kind(kind, parts, seen) for kind, parts in seen.kinds.items())


def _kind(kind: str, parts: Mapping[str, Seen], seen: Seen) -> str:
    """One type with what is known of its values and parts."""
    said = _said(seen, kind)
    if kind in NUMBERS:
        return f"{kind} {said}".strip()
    record = kind == "tuple" and ITEMS not in parts and bool(parts)
    empty = any(kind in each.kinds and each.says == "non-empty" for each in seen.properties) and not record
    inside = f" {said}" if said and not (kind == "dict" and KEYS not in parts) else _inside(kind, parts)
    loaded = LOADED.fullmatch(kind)  # a class by its name, however a call makes its objects
    name = loaded[1] if loaded else {"NoneType": "None", "iter": "iterator"}.get(kind, kind)
    return f"{'non-empty ' * empty}{name}{inside}"


def _inside(kind: str, parts: Mapping[str, Seen]) -> str:
    if kind == "dict" and parts and KEYS not in parts:
        return f" ({', '.join(f'{role.removeprefix(FIELD)}: {_type(part)}' for role, part in parts.items())})"
    if kind == "iter" and "0" in parts:
        return " of " + _type(parts["0"]).removeprefix("non-empty ").removeprefix("list of ")
    if (kind.startswith("array of ") or kind == FRAME) and "0" in parts:
        said = _type(parts["0"]).removeprefix("non-empty ").removeprefix("list of ").removeprefix("dict ")
        return f" ({said})" if not said.startswith("(") else f" {said}"
    if KEYS in parts and VALUES in parts:
        return f" of {_type(parts[KEYS])} to {_type(parts[VALUES])}"
    if ITEMS in parts:
        return f" of {_type(parts[ITEMS])}"
    return f" ({', '.join(map(_type, parts.values()))})" if kind == "tuple" and parts else ""


def shown_types(shown: Mapping[str, Seen], hints: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return a hint as text for each parameter without one, if its values consist of builtin types."""
    found = ((name, hint_of(seen)) for name, seen in shown.items() if hints.get(name) is None)
    return tuple((name, hint) for name, hint in found if hint)


def hint_of(seen: Seen) -> str:
    """`list[int | None]`; empty where a value is of another type, or nothing is known."""
    kinds: dict[str, None] = {}
    for kind, parts in seen.kinds.items():
        inside = [hint_of(part) for part in parts.values()]
        hint = f"{kind}[{' | '.join(dict.fromkeys(inside))}]"
        if kind not in _CONTAINERS or not inside or not all(inside):
            hint = _SCALARS.get(kind, "")
        elif kind == "dict" and KEYS not in parts:
            hint = f"dict[str, {' | '.join(dict.fromkeys(inside))}]"
        elif kind == "dict":
            hint = f"dict[{inside[0]}, {inside[1]}]" if len(inside) == 2 else ""
        kinds[hint] = None
    return " | ".join(kinds) if all(kinds) else ""
