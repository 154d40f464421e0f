"""`copy.deepcopy(grid)` of lists of numbers or text to a copy of the list, or of each of its rows."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Container, Context, Edits, as_diff, hashable_or_empty, rule

DEEP = frozenset({"@copy.deepcopy"})
KEEPING = frozenset({"pop", "remove", "clear", "sort", "reverse", "index", "count", "copy"})
"""Methods of a list that put nothing into it."""

EXAMPLE = as_diff("""\
  import copy

  grid = [[0] * 4 for _ in range(3)]
  for step in range(5):
-     after = copy.deepcopy(grid)
+     after = [row.copy() for row in grid]
      after[step % 3][step % 4] = step
-     order = copy.deepcopy(after[0])
+     order = after[0].copy()
      grid = after
  print(grid, order)
""")


@rule(ast.Call, example=EXAMPLE)
def deepcopy_list(node: ast.Call, ctx: Context) -> Edits:
    """deepcopy() asks of each number how to copy it: copy the lists themselves.

    Lists, dicts, sets and deques of numbers, text, None and tuples of them. Lists of such lists if each row is made
    for its place: a row in two places would become two rows.
    """
    if "deepcopy" in ctx.program.words:
        copied = _copied(ctx.program, node, ctx.program.fresh("row", "line", "part"))
        if copied:
            yield ctx.program.replace(node, copied)


def _copied(program: AnalyzedProgram, call: ast.Call, row: str) -> str | None:
    """The same copy, made by the methods of the container."""
    match call:
        case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Subscript() as whole], keywords=[]):
            if program.types.of(call.func) != DEEP:
                return None
            if _is_flat(program.types.containers(whole, "list", "dict", "set", "deque")):
                return f"{program.source(whole)}.copy()"
            if _has_own_rows(program, program.types.containers(whole, "list"), set()):
                return f"[{row}.copy() for {row} in {program.source(whole)}]"
    return None


def _is_flat(containers: list[Container]) -> bool:
    """Whether the elements cannot change: numbers, text, None, and tuples of such."""
    return bool(containers) and all(hashable_or_empty([*c.elements, *c.keys]) for c in containers)


def _has_own_rows(program: AnalyzedProgram, lists: list[Container], seen: set[Container]) -> bool:
    """Flat lists in lists, each row in one place only: a deep copy keeps two rows one where they are the same list."""
    for outer in lists:
        if outer in seen:
            continue
        seen.add(outer)
        rows = [element for element in outer.elements if isinstance(element, Container) and element.kind == "list"]
        if outer.escaped or len(rows) != len(outer.elements) or not _is_flat(rows):
            return False
        if not _made_of_new_rows(program, outer, seen) or _takes_rows(program, outer):
            return False
    return bool(lists)


def _made_of_new_rows(program: AnalyzedProgram, outer: Container, seen: set[Container]) -> bool:
    match program.types.maker(outer):
        case ast.ListComp(row):
            return _is_new(program, row)
        case ast.List(rows):
            return all(_is_new(program, row) for row in rows)
        case ast.Call(func, [whole], []) if program.types.of(func) == DEEP:
            return _has_own_rows(program, program.types.containers(whole, "list"), seen)
    return False


def _is_new(program: AnalyzedProgram, node: ast.expr) -> bool:
    """Whether the expression makes a list that nobody else has."""
    match node:
        case ast.List() | ast.ListComp() | ast.Subscript(slice=ast.Slice()):
            return True
        case ast.BinOp(op=ast.Add() | ast.Mult()):
            return True
        case ast.Call(ast.Attribute(owner, "copy" | "split"), _, []):
            return program.types.is_text(owner) or bool(program.types.containers(owner, "list"))
    return program.calls_builtin(node, "list", "sorted")


def _takes_rows(program: AnalyzedProgram, outer: Container) -> bool:
    """Whether the program may put a row into the outer list that is at another place also."""
    for node in program.escape.changes(outer):
        match node:
            case ast.Subscript(ctx=ast.Store()) if _stores_new(program, node):
                continue
            case ast.Subscript(ctx=ast.Del()):
                continue
            case ast.Call(ast.Attribute(_, "append" | "insert"), [*_, row]) if _is_new(program, row):
                continue
            case ast.Call(ast.Attribute(_, name)) if name in KEEPING:
                continue
        return True
    return False


def _stores_new(program: AnalyzedProgram, place: ast.Subscript) -> bool:
    match program.scopes.parent[place]:
        case ast.Assign([target], value):
            return target is place and not isinstance(place.slice, ast.Slice) and _is_new(program, value)
        case ast.AugAssign(target):
            return target is place  # the row stays the same list
    return False
