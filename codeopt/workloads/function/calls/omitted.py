"""Calls that give an optional parameter whose default all known calls use. Known calls miss an error there.

The default or the type hint decides the type of the value. Without either, several types are tried.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from codeopt.workloads.source.functions import Function
from codeopt.workloads.source.literals import Call, read_all, write

MOST = 60
"""Maximum number of calls for all parameters."""
EACH = 2
"""Maximum number of calls for one value."""
_VALUES: dict[str, tuple[Any, ...]] = {
    "bool": (True, False),
    "int": (0, 1, 2, 3, -1, 10),
    "float": (0.0, 0.5, 2.5, -1.0),
    "str": ("", "a", " ", ",", "ab"),
    "bytes": (b"", b"a"),
}
_ANY = (0, 1, 2, -1, "", "a", ["a"], [0, 1])


@dataclass(frozen=True)
class OptionalParameter:
    """An optional parameter, and what may be given for it."""

    name: str
    place: int
    """Among those that can be given by position; past all of them for one that can only be named."""
    default: str
    """Text of the default as it is written."""
    values: tuple[Any, ...]
    typed: bool
    """The values are of a type that it is meant for."""


def with_optional_parameters(function: Function, calls: Sequence[str]) -> dict[str, bool]:
    """Known calls with one more argument, and of each whether that is of a type it is meant for."""
    bases = sorted(read_all(calls), key=lambda call: len(call.text()))
    found: dict[str, bool] = {}
    for parameter in _optional(function):
        if any(_gives(call, parameter) for call in bases):
            continue
        for at, value in enumerate(parameter.values):
            for base in _spread(bases, at):
                found[_with(base, parameter, value).text()] = parameter.typed
    return dict(list(found.items())[:MOST])


def _spread(bases: Sequence[Call], at: int) -> Iterator[Call]:
    """A few of the shorter half, others for each value."""
    short = bases[: max(EACH, len(bases) // 2)]
    for n in range(min(EACH, len(short))):
        yield short[(at * EACH + n) % len(short)]


def _gives(call: Call, parameter: OptionalParameter) -> bool:
    """Return True if a call gives the parameter and the value is not the default."""
    at = _place(call, parameter)
    return at is not None and write(call.values[at]) != parameter.default


def _place(call: Call, parameter: OptionalParameter) -> int | None:
    """Place of a parameter among the values of a call; None where the call does not give it."""
    names = [name for name, _ in call.kwargs]
    if len(call.args) > parameter.place:
        return parameter.place
    return len(call.args) + names.index(parameter.name) if parameter.name in names else None


def _with(call: Call, parameter: OptionalParameter, value: Any) -> Call:
    at = _place(call, parameter)
    if at is not None:
        return call.with_value(at, value)
    return Call(call.args, (*call.kwargs, (parameter.name, value)))


def _optional(function: Function) -> list[OptionalParameter]:
    """Optional parameters that can be named and are not private."""
    given = function.node.args
    skip = int(function.kind == "classmethod")
    positional = [*given.posonlyargs, *given.args]
    first = len(positional) - len(given.defaults)
    pairs = [(positional[first + at], default, first + at - skip) for at, default in enumerate(given.defaults)]
    past = 10**6
    pairs += [(arg, d, past) for arg, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None]
    return [
        OptionalParameter(arg.arg, place, ast.unparse(default), *_values(arg.annotation, default))
        for arg, default, place in pairs
        if not arg.arg.startswith("_") and arg not in given.posonlyargs
    ]


def _values(hint: ast.expr | None, default: ast.expr) -> tuple[tuple[Any, ...], bool]:
    """Values to give, and whether these are of a type that it is meant for."""
    standard = default.value if isinstance(default, ast.Constant) else None
    choices = _literals(hint)
    kinds = [type(standard).__name__] if standard is not None else sorted(_names(hint) & set(_VALUES))
    values = choices or [value for kind in kinds for value in _VALUES.get(kind, ())]
    other = tuple(value for value in values if not (type(value) is type(standard) and value == standard))
    return (other, True) if other else (_ANY, False)


def _names(hint: ast.expr | None) -> set[str]:
    """The plain types of `int`, `str | None`, `Optional[int]`; of `list[int]` or a callable none."""
    if isinstance(hint, ast.Name):
        return {hint.id}
    if isinstance(hint, ast.BinOp):
        return _names(hint.left) | _names(hint.right)
    if isinstance(hint, ast.Subscript) and ast.unparse(hint.value).rpartition(".")[2] in ("Optional", "Union"):
        parts = hint.slice.elts if isinstance(hint.slice, ast.Tuple) else [hint.slice]
        return {name for part in parts for name in _names(part)}
    return set()


def _literals(hint: ast.expr | None) -> list[Any]:
    if not (isinstance(hint, ast.Subscript) and ast.unparse(hint.value).rpartition(".")[2] == "Literal"):
        return []
    parts = hint.slice.elts if isinstance(hint.slice, ast.Tuple) else [hint.slice]
    return [part.value for part in parts if isinstance(part, ast.Constant)]
