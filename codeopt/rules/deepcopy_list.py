"""`copy.deepcopy(grid)` of lists of numbers or text to a copy of the list, or of each of its rows."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._hoist import hashable_or_empty, unused_name
from codeopt.rules._hot import hot_nodes
from codeopt.rules._module import Module, parse
from codeopt.rules._plain import builtin_call
from codeopt.rules._types import Types, types_of
from codeopt.rules._values import Container

DEEP = frozenset({"@copy.deepcopy"})
KEEPING = frozenset({"pop", "remove", "clear", "sort", "reverse", "index", "count", "copy"})
"""Methods of a list that put nothing into it."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Copy what can change, and nothing else."""
    module = parse(text)
    if module is None or "deepcopy" not in module.words:
        return None
    types = types_of(module)
    row = unused_name(module, set(), "row", "line", "part")
    edits = []
    for call in hot_nodes(module, hot, ast.Call):
        copied = _copied(module, types, call, row)
        edits += [module.replace(call, copied)] if copied else []
    return module.edited(edits)


def _copied(module: Module, types: Types, call: ast.Call, row: str) -> str | None:
    """The same copy, made by the methods of what is copied."""
    match call:
        case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Subscript() as whole], keywords=[]):
            if types.of(call.func) != DEEP:
                return None
            if _is_flat(types.containers(whole, "list", "dict", "set", "deque")):
                return f"{module.source(whole)}.copy()"
            if _has_own_rows(module, types, types.containers(whole, "list"), set()):
                return f"[{row}.copy() for {row} in {module.source(whole)}]"
    return None


def _is_flat(containers: list[Container]) -> bool:
    """Nothing in them can change: numbers, text, None, and tuples of such."""
    return bool(containers) and all(hashable_or_empty([*c.elements, *c.keys]) for c in containers)


def _has_own_rows(module: Module, types: Types, lists: list[Container], seen: set[Container]) -> bool:
    """Flat lists in lists, each row in one place only: a deep copy keeps two rows one where they are the same list."""
    for outer in lists:
        if outer in seen:
            continue
        seen.add(outer)
        rows = [element for element in outer.elements if isinstance(element, Container) and element.kind == "list"]
        if outer.escaped or len(rows) != len(outer.elements) or not _is_flat(rows):
            return False
        if not _made_of_new_rows(module, types, outer, seen) or _takes_rows(module, types, outer):
            return False
    return bool(lists)


def _made_of_new_rows(module: Module, types: Types, outer: Container, seen: set[Container]) -> bool:
    match types.maker(outer):
        case ast.ListComp(row):
            return _is_new(module, types, row)
        case ast.List(rows):
            return all(_is_new(module, types, row) for row in rows)
        case ast.Call(func, [whole], []) if types.of(func) == DEEP:
            return _has_own_rows(module, types, types.containers(whole, "list"), seen)
    return False


def _is_new(module: Module, types: Types, node: ast.expr) -> bool:
    """The expression makes a list that nobody else has."""
    match node:
        case ast.List() | ast.ListComp() | ast.Subscript(slice=ast.Slice()):
            return True
        case ast.BinOp(op=ast.Add() | ast.Mult()):
            return True
        case ast.Call(ast.Attribute(owner, "copy" | "split"), _, []):
            return types.is_text(owner) or bool(types.containers(owner, "list"))
    return builtin_call(module, node, "list", "sorted")


def _takes_rows(module: Module, types: Types, outer: Container) -> bool:
    """Somewhere the program puts a list into it that may be in another place too."""
    for node in module.walk():
        match node:
            case ast.Subscript(owner, ctx=ast.Store()) if outer in types.of(owner):
                if not _stores_new(module, types, node):
                    return True
            case ast.Call(ast.Attribute(owner, name), arguments) if outer in types.of(owner):
                adds = name in ("append", "insert") and bool(arguments) and _is_new(module, types, arguments[-1])
                if not adds and name not in KEEPING:
                    return True
            case ast.Call(args=[owner, *_]) if outer in types.of(owner):
                if any(str(value).startswith("@heapq") for value in types.of(node.func)):
                    return True
            case ast.AugAssign(target) if outer in types.of(target):
                return True
    return False


def _stores_new(module: Module, types: Types, place: ast.Subscript) -> bool:
    match module.scopes.parent[place]:
        case ast.Assign([target], value):
            return target is place and not isinstance(place.slice, ast.Slice) and _is_new(module, types, value)
        case ast.AugAssign(target):
            return target is place  # the row stays the same list
    return False


RULE = Rule(
    name="deepcopy_list",
    reason="deepcopy() asks of each number how to copy it: copy the lists themselves.",
    before="""\
import copy

grid = [[0] * 4 for _ in range(3)]
for step in range(5):
    after = copy.deepcopy(grid)
    after[step % 3][step % 4] = step
    order = copy.deepcopy(after[0])
    grid = after
print(grid, order)
""",
    after="""\
import copy

grid = [[0] * 4 for _ in range(3)]
for step in range(5):
    after = [row.copy() for row in grid]
    after[step % 3][step % 4] = step
    order = after[0].copy()
    grid = after
print(grid, order)
""",
    limits=(
        "Lists, dicts, sets and deques of numbers, text, None and tuples of them; lists of such lists where each row "
        "is made for its place: a row that stands in two places would become two."
    ),
    rewrite=rewrite,
)
