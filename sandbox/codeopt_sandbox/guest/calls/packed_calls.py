"""Calls that a function makes in the place of their texts: those of long calls of numbers take twenty times as long to
compile as to read, recipes of large arguments as long to build, and those of deep values no parser reads."""

from __future__ import annotations

from marshal import dumps, loads

from .recipes import RECIPE, built

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Call = tuple[tuple[Any, ...], dict[str, Any]]

LONG_CHARS = 5_000
"""Length from which a call of numbers alone is packed."""
UNPACKED = "unpacked"
"""Name of the function by which the expression of a packed call makes it."""
DEEPENED = "deepened"
"""Name of the function by which an expression makes a nested value: no parser reads so many brackets."""
NUMBERS = frozenset("0123456789+-.eE, []")
"""Characters of a call of numbers and lists of them, in which JSON and Python say the same."""


def packed_numbers(text: str) -> bytes | None:
    """The call `f(1, [2.5, -3])`, packed; None where it holds anything but numbers and lists."""
    inside = text[2:-1]
    if text[:2] != "f(" or text[-1:] != ")" or not NUMBERS.issuperset(inside):
        return None
    import json

    try:
        return dumps((tuple(json.loads(f"[{inside}]")), {}))
    except (ValueError, RecursionError):  # no JSON, or nested too deep
        return None


def with_packed_recipes(text: str) -> Any:
    """Tree of a call in which a packed value represents each recipe: to build that takes many times as long as to read
    it. Recipes of bytes stay: what is packed is taken for a value without any (plain_arguments.py)."""
    import ast

    class Packed(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            if not isinstance(node.func, ast.Name) or node.func.id != RECIPE:
                return self.generic_visit(node)
            given = [ast.literal_eval(each) for each in node.args]
            constants = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
            if given[0] == "bytes" or any(type(each) is bytes for each in constants):
                return node
            packed = ast.Constant(dumps(built(*given)), None)
            return ast.Call(ast.Name(UNPACKED, ast.Load()), [packed], [])

    return ast.fix_missing_locations(Packed().visit(ast.parse(text, mode="eval")))


def unpacked(packed: bytes) -> Any:
    """A fresh copy of a packed call or argument."""
    return loads(packed)


def deepened(level: Callable[[Any], Any], value: Any, times: int) -> Any:
    """A value put into so many levels."""
    for _ in range(times):
        value = level(value)
    return value
