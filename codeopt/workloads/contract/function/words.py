"""The contract of a function's arguments in one line: `n >= 1; items: non-empty list of int >= 0`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codeopt.workloads.contract.function.seen import (
    ITEMS,
    KEYS,
    LOADED,
    NUMBERS,
    OTHER_DIGITS,
    VALUES,
    Seen,
    ValueRange,
)

EVERY_CALL = "in every known call "
"""Start of the words of a relation that the line as a whole says."""


def in_one_line(shown: Mapping[str, Seen], relations: Iterable[str]) -> str:
    """Parameters, then relations between them, which are given in words; empty where no call is known."""
    parts = [_of_parameter(name, seen) for name, seen in shown.items() if seen.kinds]
    return "; ".join([*parts, *(each.removeprefix(EVERY_CALL) for each in relations)])


def _of_parameter(name: str, seen: Seen) -> str:
    only_numbers = seen.kinds.keys() <= set(NUMBERS)
    bound = _bound(seen)
    return f"{name} {bound}" if only_numbers and bound else f"{name}: {_type(seen)}"


def _type(seen: Seen) -> str:
    """`int >= 0 or None`."""
    return " or ".join(_kind(kind, parts, seen) for kind, parts in seen.kinds.items())


def _kind(kind: str, parts: Mapping[str, Seen], seen: Seen) -> str:
    """One type with what is known of its values and parts."""
    if kind in NUMBERS:
        return f"{kind} {_bound(seen)}".strip()
    record = kind == "tuple" and ITEMS not in parts and bool(parts)
    never_empty = "non-empty " * (kind in seen.values.sized and not record)
    return f"{never_empty}{_name(kind)}{_inside(kind, parts, seen.values)}"


def _name(kind: str) -> str:
    """A class by its name, however a call makes its objects."""
    loaded = LOADED.fullmatch(kind)
    return "None" if kind == "NoneType" else loaded[1] if loaded else kind


def _inside(kind: str, parts: Mapping[str, Seen], values: ValueRange) -> str:
    if kind == "str" and values.letters:
        told = sorted(values.letters - {OTHER_DIGITS})
        return f" of {', '.join(told)}" if OTHER_DIGITS in values.letters else " of 0 and 1"
    if kind == "dict" and values.keys:
        return f" with {', '.join(map(repr, sorted(values.keys)))}"
    if KEYS in parts and VALUES in parts:
        return f" of {_type(parts[KEYS])} to {_type(parts[VALUES])}"
    if ITEMS in parts:
        return f" of {_type(parts[ITEMS])}"
    return f" ({', '.join(map(_type, parts.values()))})" if kind == "tuple" and parts else ""


def _bound(seen: Seen) -> str:
    """Bound of numbers, by their sign alone; empty where numbers of both signs are known, or too few."""
    values = seen.values
    if values.negative:
        return "" if values.zero else "< 0"
    if values.zero:
        return ">= 0"
    return "> 0" if "float" in seen.kinds else ">= 1"


SCALARS = {"NoneType": "None", **{name: name for name in ("bool", "int", "float", "str", "bytes", "complex")}}
CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset"})


def shown_types(shown: Mapping[str, Seen], hints: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return a hint as text for each parameter without one, if its values consist of builtin types."""
    found = ((name, hint_of(seen)) for name, seen in shown.items() if hints.get(name) is None)
    return tuple((name, hint) for name, hint in found if hint)


def hint_of(seen: Seen) -> str:
    """`list[int | None]`; empty where a value is of another type, or nothing is known."""
    kinds = [_kind_of_hint(kind, seen) for kind in seen.kinds]
    return " | ".join(dict.fromkeys(kinds)) if kinds and all(kinds) else ""


def _kind_of_hint(kind: str, seen: Seen) -> str:
    if kind not in CONTAINERS:
        return SCALARS.get(kind, "")
    parts = seen.kinds[kind]
    if kind == "dict":
        inside = [hint_of(part) for part in parts.values()]
        return f"dict[{inside[0]}, {inside[1]}]" if len(inside) == 2 and all(inside) else ""
    inside = [hint_of(part) for part in parts.values()]
    return f"{kind}[{' | '.join(dict.fromkeys(inside))}]" if inside and all(inside) else ""
