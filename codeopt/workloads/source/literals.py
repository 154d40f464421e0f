"""Text of calls that is read without running anything: `f([1, 2], k=3)`."""

from __future__ import annotations

import ast
import json
import math
import re
from functools import cached_property
from itertools import accumulate
from typing import Any

from codeopt.core.call import Call, Constructed, Named, Opaque, Recipe
from codeopt_sandbox.guest.calls.recipes import RECIPE

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
        # Most long calls consist of these, which JSON writes in the same way, and its parser reads them fifty times as
        # fast as Python's.
        if not (self.text.startswith("f(") and self.text.endswith(")")) or _UNLIKE_JSON.search(self.text):
            return None
        steps = (1 if bracket in "[{" else -1 for bracket in re.findall(r"[\[\]{}]", self.text))
        if self.text.count("[") + self.text.count("{") >= MAX_NESTING and max(accumulate(steps)) > MAX_NESTING:
            return None
        try:
            found: list[Any] = json.loads(f"[{self.text[2:-1]}]".replace("'", '"'))
        except (ValueError, RecursionError):
            return None
        return found

    @cached_property
    def _given(self) -> tuple[tuple[Any, ...], Named] | None:
        if self.lists is not None:
            return tuple(self.lists), ()
        # characters of a call that Python's own parser reads in 1.5 s
        return _parsed(self.text) if self.text.startswith("f(") and len(self.text) <= 1_000_000 else None

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


def one_deeper(value: Opaque) -> Any:
    """Return what `is_deeper` is true of with a single level more than a known value has."""
    level, inner, _ = ast.parse(value.text, mode="eval").body.args  # type: ignore[attr-defined]
    text = ast.unparse(inner)
    if isinstance(level, ast.Lambda):
        text = re.sub(r"\binner\b", lambda _: text, ast.unparse(level.body), count=1)
    return next(iter(read(f"f({text})").values), value)
