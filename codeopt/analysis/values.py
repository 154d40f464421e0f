"""The values of an expression: kinds of scalars, containers by the place that makes them, functions, or unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

UNKNOWN = "?"
"""Anything at all: a value that came from, or went to, code that is not followed."""


@dataclass(eq=False)
class Container:
    """All lists (dicts, sets, ...) that one place in the program makes."""

    kind: str
    """Kind: list, dict, set, tuple, deque or iterator."""
    elements: set[object] = field(default_factory=set)
    """The values that its elements, or the values of a dict, may have."""
    keys: set[object] = field(default_factory=set)
    escaped: bool = False
    """Whether code that is not followed may hold the container, and change it at any time. Its elements are unknown
    then, unless a type hint says them, and it may be the same object as another escaped one."""
    grows: bool = False
    """Whether reading a missing element adds it (a defaultdict)."""
    place: ast.AST | None = field(default=None, repr=False)
    """The node that makes the container."""

    def may_be(self, other: Container) -> bool:
        """Return whether both may be one and the same object."""
        if self is other:
            return True
        return self.escaped and other.escaped and self.kind == other.kind and _alike(self.elements, other.elements)


def _alike(one: set[object], other: set[object]) -> bool:
    """Whether the elements of one may be those of the other: a list of numbers is no list of lists."""
    if UNKNOWN in one | other or not one or not other:
        return True
    kinds = [{v.kind if isinstance(v, Container) else "scalar" for v in values} for values in (one, other)]
    return bool(kinds[0] & kinds[1])


@dataclass(frozen=True)
class FunctionValue:
    """A function or lambda of the program."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


Values = frozenset[object]
"""Strings for scalars ("int", "str", "none", ...), "@math.sqrt" for what is imported or built in, UNKNOWN, Container,
FunctionValue. Empty: nothing reaches this place."""

ANY: Values = frozenset({UNKNOWN})
INT: Values = frozenset({"int"})
FLOAT: Values = frozenset({"float"})
BOOL: Values = frozenset({"bool"})
STR: Values = frozenset({"str"})
BYTES: Values = frozenset({"bytes"})
NONE: Values = frozenset({"none"})
WHOLE = frozenset({"int", "bool"})
NUMBERS = frozenset({"int", "bool", "float"})
SCALARS = frozenset({"int", "bool", "float", "str", "bytes", "none", "complex"})


def union(groups: Iterable[Values]) -> Values:
    return frozenset(value for group in groups for value in group)


def deep(values: Iterable[object]) -> set[object]:
    """The values and everything in them."""
    found: set[object] = set()
    stack = list(values)
    while stack:
        value = stack.pop()
        if value not in found:
            found.add(value)
            if isinstance(value, Container):
                stack += [*value.elements, *value.keys]
    return found


def all_plain(values: Iterable[object]) -> bool:
    """Whether all values are numbers, text, functions, builtins, and containers of such: no object of a class of the
    program."""
    return all(
        value in SCALARS or isinstance(value, Container | FunctionValue) or str(value).startswith("@")
        for value in deep(values)
    )


def arithmetic(operator: ast.operator, left: Values, right: Values, positive_power: bool) -> Values | None:
    """The type of `left op right` for numbers and text; None when containers or unknown values take part."""
    if not left or not right:
        return frozenset()
    if left | right <= NUMBERS:
        return _numeric(operator, left, right, positive_power)
    if isinstance(operator, ast.Add) and left | right in (STR, BYTES):
        return left
    if isinstance(operator, ast.Mod) and left == STR and not any(isinstance(v, Container) for v in right):
        return STR
    if isinstance(operator, ast.Mult):
        for text, count in ((left, right), (right, left)):
            if text in (STR, BYTES) and count <= {"int", "bool"}:
                return text
    return None


def _numeric(operator: ast.operator, left: Values, right: Values, positive_power: bool) -> Values:
    if isinstance(operator, ast.Div):
        return FLOAT
    floats = FLOAT if "float" in left | right else frozenset()
    ints = INT if left - FLOAT and right - FLOAT else frozenset()
    if isinstance(operator, ast.Pow) and not positive_power:
        return ints | FLOAT | ({"complex"} if floats else frozenset())
    return ints | floats


def hashable(values: Iterable[object]) -> bool:
    """Whether all values are numbers, text, None, or tuples of such: equal ones have equal hashes, without effects."""
    values = list(values)
    return bool(values) and hashable_or_empty(values)


def hashable_or_empty(values: Iterable[object]) -> bool:
    """Return whether all values are hashable. Also true for no values at all."""
    return all(
        value in SCALARS
        or (isinstance(value, Container) and value.kind == "tuple" and hashable_or_empty(value.elements))
        for value in values
    )
