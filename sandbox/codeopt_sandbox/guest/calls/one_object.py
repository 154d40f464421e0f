"""Objects that several calls are made with, as one object: those that are written the same way are made once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def with_one_object(call: str) -> str:
    """A call in which `same('...')` represents each object that a constructor's call makes, as it is written."""
    if "load(" not in call:
        return call
    import ast

    try:
        tree = ast.parse(call, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return call
    data = call.encode()
    parts, end = [], 0
    for node in outermost(ast, tree.body):
        parts += [
            data[end : node.col_offset],
            b"same(%b)" % repr(data[node.col_offset : node.end_col_offset].decode()).encode(),
        ]
        end = node.end_col_offset
    return b"".join([*parts, data[end:]]).decode()


def outermost(ast: Any, node: Any) -> list[Any]:
    """Constructor calls that are not inside of another one, from left to right."""
    if isinstance(node, ast.Call) and makes_an_object(ast, node.func):
        return [node]
    found = [each for child in ast.iter_child_nodes(node) for each in outermost(ast, child)]
    return sorted(found, key=lambda each: each.col_offset)  # a dictionary's keys come before its values


def makes_an_object(ast: Any, maker: Any) -> bool:
    """Whether what is called is a class, as `load('m', 'C')`, or what calls methods of an object, `used`."""
    loaded = isinstance(maker, ast.Call) and isinstance(maker.func, ast.Name) and maker.func.id == "load"
    return loaded or (isinstance(maker, ast.Name) and maker.id == "used")
