"""The lines that a change of one function touches: the function, and the definitions that are new or differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Lines = tuple[tuple[int, int], ...]
"""First and last line of each part, in order."""
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def changed_part(original: str, changed: str, qualname: str) -> tuple[Lines, Lines]:
    """The changed lines of both texts. Raises SyntaxError where a text does not parse."""
    old, new = dict(_defined(ast.parse(original))), dict(_defined(ast.parse(changed)))
    wanted = {qualname} | {name for name, node in new.items() if _differs(node, old.get(name))}
    inner = {name for name in wanted if isinstance(new.get(name), ast.ClassDef) and name in old}
    wanted -= inner  # of a class that was there, what differs in it
    return tuple(_lines(old, wanted)), tuple(_lines(new, wanted))


def _defined(scope: ast.Module | ast.ClassDef, path: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """The definitions of a module and of its classes, by qualified name."""
    for node in scope.body:
        if isinstance(node, _DEFINED):
            yield path + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from _defined(node, f"{path}{node.name}.")


def _differs(node: ast.stmt, before: ast.stmt | None) -> bool:
    return before is None or ast.dump(node) != ast.dump(before)


def _lines(found: dict[str, ast.stmt], wanted: set[str]) -> Iterator[tuple[int, int]]:
    """The lines of the wanted definitions, without those that stand within another one."""
    last = 0
    spans = sorted(_span(found[name]) for name in wanted if name in found)
    for first, end in spans:
        if first > last:
            yield first, end
            last = end


def _span(node: ast.stmt) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)]), node.end_lineno or node.lineno
