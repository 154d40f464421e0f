"""Calls as text and as values: `f([1, 2], k=3)` is read without running anything, changed, and written again."""

from __future__ import annotations

import ast
import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

from codeopt_sandbox.guest.calls.recipes import DEEPENED, RECIPE, built
from codeopt_sandbox.guest.calls.repr.structure import number

LONGEST = 200_000
"""Characters of a call that others are made from; longer ones are used as they are."""
LONG_CALL = 1_000_000
"""Characters of a call that Python's own parser reads, in 1.5 s."""


@dataclass(frozen=True)
class Opaque:
    """A part of a call that is no plain value and has no parts: `load('m', 'f')`, `unpickle('...')`, a lambda."""

    text: str


@dataclass(frozen=True)
class Constructed:
    """An object made by a class with arguments that can be changed: `load('m', 'C')(1)`, `Decimal('0.1')`,
    `used(load('m', 'C')(1), do.add(2))` after its method `add` was called."""

    maker: str
    """Text of the expression as it is written."""
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()

    @property
    def values(self) -> tuple[Any, ...]:
        """All arguments, positional ones first."""
        return (*self.args, *(value for _, value in self.kwargs))

    def with_value(self, at: int, value: Any) -> Constructed:
        """Return the object with another argument at a place of `values`."""
        return Constructed(self.maker, *_put(self.args, self.kwargs, at, value))


@dataclass(frozen=True)
class Recipe:
    """A large generated argument, which the sandbox builds: a container of so many items of some kind."""

    container: str
    size: int
    seed: int
    kind: tuple[Any, ...]
    """Kind of the items, as codeopt_sandbox/guest/calls/recipes.py has it."""
    order: str = ""
    distinct: bool = False

    @cached_property
    def value(self) -> Any:
        """The argument itself."""
        return built(*vars_of(self))

    @property
    def words(self) -> str:
        """`<list of 100,000 items>`."""
        return f"<{self.container} of {self.size:,} {'character' if self.container == 'str' else 'item'}s>"

    def sample(self, most: int) -> Any:
        """The argument with so many items at most."""
        return self.value if self.size <= most else replace(self, size=most).value


def vars_of(recipe: Recipe) -> tuple[Any, ...]:
    """Return what the sandbox builds a recipe's argument from."""
    return recipe.container, recipe.size, recipe.seed, recipe.kind, recipe.order, recipe.distinct


Named = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, eq=False)
class Call:
    """A call of the function. It is told from others by its text: `f(1)` and `f(True)` are two."""

    args: tuple[Any, ...]
    kwargs: Named = ()

    @cached_property
    def text(self) -> str:
        """The call as the sandbox reads it."""
        return f"f({_given(self.args, self.kwargs)})"

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Call) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def is_read(self) -> bool:
        """The values of its arguments are known."""
        return True

    @property
    def can_change(self) -> bool:
        """Its values are known, and it is short enough that others are made from it."""
        return len(self.text) <= LONGEST and self.is_read

    @property
    def values(self) -> tuple[Any, ...]:
        """All arguments, positional ones first."""
        return (*self.args, *(value for _, value in self.kwargs))

    def with_value(self, at: int, value: Any) -> Call:
        """Return the call with another value at a place of `values`."""
        return Call(*_put(self.args, self.kwargs, at, value))

    def built(self, most: int = sys.maxsize) -> Call:
        """Return the call with the arguments that its recipes give, at most `most` items each."""
        return Call(
            tuple(_built(value, most) for value in self.args),
            tuple((name, _built(value, most)) for name, value in self.kwargs),
        )


def _built(value: Any, most: int) -> Any:
    if isinstance(value, Recipe):
        return value.sample(most)
    if isinstance(value, Constructed):
        kwargs = tuple((name, _built(part, most)) for name, part in value.kwargs)
        return Constructed(value.maker, tuple(_built(part, most) for part in value.args), kwargs)
    return value


def _put(args: tuple[Any, ...], kwargs: Named, at: int, value: Any) -> tuple[tuple[Any, ...], Named]:
    """Arguments with another one at a place, named ones counted after the others."""
    if at < len(args):
        return (*args[:at], value, *args[at + 1 :]), kwargs
    at -= len(args)
    return args, (*kwargs[:at], (kwargs[at][0], value), *kwargs[at + 1 :])


MAX_NESTING = 150
"""Brackets in each other that JSON's parser is given to read; Python's own takes up to 200."""
_UNLIKE_JSON = re.compile(r'["\\\\]|true|false|null|NaN|Infinity')
"""Parts of a call that JSON reads in another way than Python, or that stop its quotes from being exchanged."""


class CallText(Call):
    """A call as it was written, which is parsed once its values are asked for."""

    def __init__(self, text: str) -> None:
        vars(self)["text"] = text

    @cached_property
    def lists(self) -> list[Any] | None:
        """Its arguments, if these are lists, numbers and texts: then they take little time, however long they are."""
        return _as_json(self.text) if self.text.startswith("f(") else None

    @cached_property
    def _given(self) -> tuple[tuple[Any, ...], Named] | None:
        if self.lists is not None:
            return tuple(self.lists), ()
        return _parsed(self.text) if self.text.startswith("f(") and len(self.text) <= LONG_CALL else None

    @property
    def is_read(self) -> bool:
        return self._given is not None

    @property
    def args(self) -> tuple[Any, ...]:
        return self._given[0] if self._given else ()

    @property
    def kwargs(self) -> Named:
        return self._given[1] if self._given else ()


def read(text: str) -> CallText:
    """The call in a text. One that cannot be parsed as a call has no values that are known."""
    return CallText(text)


def texts_of(calls: Iterable[Call]) -> tuple[str, ...]:
    """Calls as the sandbox reads them."""
    return tuple(call.text for call in calls)


def _as_json(text: str) -> list[Any] | None:
    """Return arguments that JSON writes in the same way: lists, numbers and texts. None if they may differ.

    Most long calls consist of these, and the JSON parser reads them fifty times as fast.
    """
    if _UNLIKE_JSON.search(text) or not text.endswith(")") or _is_nested_too_deep(text):
        return None
    try:
        found: list[Any] = json.loads(f"[{text[2:-1]}]".replace("'", '"'))
    except (ValueError, RecursionError):
        return None
    return found


def _is_nested_too_deep(text: str) -> bool:
    """Return True if brackets are nested more deeply than Python's parser allows."""
    if text.count("[") + text.count("{") < MAX_NESTING:
        return False
    steps = (1 if bracket in "[{" else -1 for bracket in re.findall(r"[\[\]{}]", text))
    return max(accumulate(steps)) > MAX_NESTING


def _parsed(text: str) -> tuple[tuple[Any, ...], Named] | None:
    """The arguments, by Python's own parser."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError):
        return None
    if not isinstance(node, ast.Call) or _unpacks(node):
        return None
    args = tuple(value_of(arg, text) for arg in node.args)
    return args, tuple((keyword.arg or "", value_of(keyword.value, text)) for keyword in node.keywords)


def _unpacks(node: ast.Call) -> bool:
    return any(isinstance(arg, ast.Starred) for arg in node.args) or any(word.arg is None for word in node.keywords)


def value_of(node: ast.expr, text: str = "") -> Any:
    """The value of an expression. text: that it was parsed from, parts of which stay as they were written."""
    try:
        return _plain(node)
    except _NotPlain:
        if text and node.end_lineno == 1:  # `ast.get_source_segment` goes through a long line character by character
            return Opaque(text.encode()[node.col_offset : node.end_col_offset].decode())
        return Opaque((text and ast.get_source_segment(text, node)) or ast.unparse(node))


class _NotPlain(Exception):
    pass


_MAKERS: dict[str, Any] = {
    "set": set,
    "frozenset": frozenset,
    "bytearray": bytearray,
    "range": range,
    "complex": complex,
}
_CLASSES = ("Decimal", "Fraction", "deque", "iter", "memoryview", "slice", "used")
_NAMES = {"inf": math.inf, "nan": math.nan, "Ellipsis": ...}


def _plain(node: ast.expr) -> Any:
    """Plain values only, as ast.literal_eval, with a few more makers."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_plain(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):  # complex numbers
        left, right = _plain(node.left), _plain(node.right)
        if isinstance(right, complex):
            return left + right if isinstance(node.op, ast.Add) else left - right
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        items = [_plain(item) for item in node.elts]
        return (
            items
            if isinstance(node, ast.List)
            else tuple(items)
            if isinstance(node, ast.Tuple)
            else _hashed(set, items)
        )
    if isinstance(node, ast.Dict) and None not in node.keys:
        return _hashed(
            dict, [(_plain(k), _plain(v)) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
        )
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MAKERS and not node.keywords:
        return _hashed(_MAKERS[node.func.id], *[_plain(item) for item in node.args])
    if isinstance(node, ast.Call) and not _unpacks(node):
        return _object(node)
    raise _NotPlain


def _object(node: ast.Call) -> Opaque | Constructed | Recipe:
    """Value of a name, of a recipe, or of a class's call."""
    maker = ast.unparse(node.func)
    if maker == RECIPE:
        return Recipe(*map(ast.literal_eval, node.args))
    if maker == "load":
        return Opaque(ast.unparse(node))
    if maker.startswith(("load(", "datetime.", "do.")) or maker in _CLASSES:
        kwargs = tuple((word.arg or "", _plain(word.value)) for word in node.keywords)
        return Constructed(maker, tuple(map(_plain, node.args)), kwargs)
    raise _NotPlain


def _hashed(make: Any, *values: Any) -> Any:
    try:
        return make(*values)
    except (TypeError, ValueError) as error:
        raise _NotPlain from error


def write(value: Any) -> str:
    """An expression for a plain value."""
    if isinstance(value, Opaque):
        return value.text
    if isinstance(value, Constructed):
        return f"{value.maker}({_given(value.args, value.kwargs)})"
    if isinstance(value, Recipe):
        return f"{RECIPE}({_joined(vars_of(value))})"
    if isinstance(value, list):
        return f"[{_joined(value)}]"
    if isinstance(value, tuple):
        return f"({_joined(value)}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{write(key)}: {write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}([{', '.join(sorted(map(write, value)))}])"
    if isinstance(value, complex):  # its repr loses the sign of a zero
        return f"complex({value.real!r}, {value.imag!r})"
    return number(value) if type(value) is int else repr(value)


def _given(args: Sequence[Any], kwargs: Sequence[tuple[str, Any]]) -> str:
    return ", ".join([*map(write, args), *(f"{name}={write(value)}" for name, value in kwargs)])


def _joined(values: Sequence[Any]) -> str:
    if {type(value) for value in values} <= _BY_REPR:  # long lists of numbers: 20 times as quick
        with suppress(ValueError):  # Python writes no int of more than 4,300 digits
            return repr([*values])[1:-1]
    return ", ".join(map(write, values))


def with_recipes_in_words(value: Any) -> Any:
    """A call as people read it, or a part of one, with words for what its recipes give."""
    if isinstance(value, Recipe):
        return Opaque(value.words)
    for at, part in enumerate(value.values if isinstance(value, Call | Constructed) else ()):
        value = value.with_value(at, with_recipes_in_words(part))
    return value


_BY_REPR = {int, float, str, bool, bytes, type(None)}


def is_deeper(value: Any) -> bool:
    """Return True if the sandbox nests a value deeper than any known one."""
    return isinstance(value, Opaque) and value.text.startswith(f"{DEEPENED}(")


def one_deeper(value: Opaque) -> Any:
    """Return what `is_deeper` is true of with a single level more than a known value has."""
    level, inner, _ = ast.parse(value.text, mode="eval").body.args  # type: ignore[attr-defined]
    text = ast.unparse(inner)
    if isinstance(level, ast.Lambda):
        text = re.sub(r"\binner\b", lambda _: text, ast.unparse(level.body), count=1)
    return next(iter(read(f"f({text})").values), value)
