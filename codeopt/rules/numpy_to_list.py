"""numpy arrays that are only used one element at a time: lists are faster there, and need no import of numpy."""

from __future__ import annotations

import ast

from codeopt.rules import SIGNED, AnalyzedProgram, Context, Edit, Variable, as_diff, rule, spans_lines, together

FILL = {"zeros": "0", "ones": "1", "empty": "0"}
INTEGERS = frozenset({"int", "int64", "int32", "int_", "intp", "uint64", "uint32", "int16", "int8", "uint8"})
TRUTH = frozenset({"bool", "bool_"})
REAL = frozenset({"float", "float64", "float_"})

NUMPY_TO_LIST = as_diff("""\
- import numpy as np

  n = int("5")
- ways = np.zeros(n + 1, dtype=np.int64)
- table = np.zeros((n, 2), int)
+ ways = [0] * (n + 1)
+ table = [[0] * 2 for _ in range(n)]
  ways[0] = 1
  for i in range(1, n + 1):
      ways[i] = ways[i - 1] * 2
-     table[i - 1, 1] = ways[i]
+     table[i - 1][1] = ways[i]
  print(ways[n], table[2][1])
""")


@rule(ast.Module, priority=50, safety="unsafe", example=NUMPY_TO_LIST)
def numpy_to_list(_: ast.Module, ctx: Context) -> list[Edit]:
    """numpy is slow one element at a time, and slow to import: use plain lists.

    Only when zeros, ones, full, empty and array are all that numpy is used for and every array is bound once and only
    read and written by whole-number indices. numpy's numbers overflow and divide differently, so the test cases
    decide.
    """
    program = ctx.program
    found = _numpy_import(program)
    if found is None:
        return []
    statement, variable = found
    if not any(ctx.is_hot(node) for node in [statement, *program.nodes(ast.For, ast.While)]):
        return []
    loads = program.scopes.loads(variable)  # that call nothing: of a dtype, which goes with its call
    made = [call for load in loads if (call := program.method_call(load))]
    edits = together(_converted(program, call) for call in made)
    # Every use of np has to be in a removed piece of text.
    replaced = (any(edit.start <= program.span(load)[0] < edit.end for edit in edits or ()) for load in loads)
    return [program.without_lines(statement), *edits] if edits and all(replaced) else []


def _numpy_import(program: AnalyzedProgram) -> tuple[ast.stmt, Variable] | None:
    """`import numpy` or `import numpy as np` on a line of its own, the only import of it."""
    alone = [node for node in program.tree.body if isinstance(node, ast.Import) and program.alone(node)]
    found = [node for node in alone if [each.name for each in node.names] == ["numpy"]]
    imports = [node for node in program.of_kind(ast.ImportFrom) if "numpy" in (node.module or "")]
    if len(found) != 1 or imports or "scipy" in program.words or "numba" in program.words:
        return None
    variable = Variable(program.tree, found[0].names[0].asname or "numpy")
    return (found[0], variable) if len(program.scopes.stores(variable)) == 1 else None


def _converted(program: AnalyzedProgram, call: ast.Call) -> list[Edit] | None:
    """Edits for one array: its making, and `a[i, j]` to `a[i][j]`."""
    match program.scopes.parent[call], _as_list(program, call):
        case ast.Assign(targets=[ast.Name() as target]), (str(new), int(depth)) if not spans_lines(call):
            loads = program.scopes.loads(program.scopes.variable(target))
            found = (_element(program, node, depth) for node in loads)
            return together([[program.replace(call, new)], *found]) if program.scopes.is_bound_once(target) else None
    return None


def _as_list(program: AnalyzedProgram, call: ast.Call) -> tuple[str, int] | None:
    """The list that replaces the array, and its number of dimensions."""
    assert isinstance(call.func, ast.Attribute)
    options = {keyword.arg: keyword.value for keyword in call.keywords}
    arguments = list(call.args)
    if not options.keys() <= {"dtype"} or not arguments:
        return None
    name = call.func.attr
    expected = 2 if name == "full" else 1
    dtype = options.get("dtype") or (arguments[expected] if len(arguments) > expected else None)
    kind = _kind(dtype)
    if kind is None or len(arguments) > expected + 1:
        return None
    if name == "array":
        # The list for an array of this data, and its number of dimensions; None unless the data is a list of
        # whole numbers, of rows of them, or of text, which is converted as the array would.
        inside = program.types.elements(arguments[0], "list")
        if inside and inside <= {"int"} and kind in ("none", "whole"):
            return program.source(arguments[0]), 1
        if inside == {"str"} and kind == "whole":
            return f"list(map(int, {program.source(arguments[0])}))", 1
        rows = [e for e in inside if getattr(e, "kind", "") == "list" and getattr(e, "elements", ()) == {"int"}]
        if rows and len(rows) == len(inside) and kind in ("none", "whole"):
            return program.source(arguments[0]), 2
        return None
    value = _constant(name, kind)
    if name == "full" and len(arguments) > 1 and kind in ("none", "whole"):
        fits = program.types.is_int(arguments[1]) or (kind == "none" and program.types.of(arguments[1]) == {"float"})
        value = program.source(arguments[1]) if fits else None
    return _filled(program, arguments[0], value) if value is not None else None


def _constant(name: str, kind: str) -> str | None:
    """The value that zeros, ones and empty fill an array with."""
    value = FILL.get(name)
    if value is None or kind == "whole":
        return value
    return str(value == "1") if kind == "truth" else f"{value}.0"


def _kind(dtype: ast.expr | None) -> str | None:
    match dtype:
        case None:
            return "none"
        case ast.Name(name) | ast.Attribute(attr=name) | ast.Constant(str(name)):
            kinds = {"whole": INTEGERS, "truth": TRUTH, "real": REAL}
            return next((kind for kind, names in kinds.items() if name in names), None)
    return None


def _filled(program: AnalyzedProgram, shape: ast.expr, value: str) -> tuple[str, int] | None:
    match shape:
        case ast.Tuple([rows, columns]) | ast.List([rows, columns]):
            inner = f"[{value}] * {program.grouped(columns, SIGNED)}"
            return f"[{inner} for _ in range({program.source(rows)})]", 2
        case ast.Tuple([size]) | ast.List([size]):
            return f"[{value}] * {program.grouped(size, SIGNED)}", 1
        case ast.Tuple() | ast.List():
            return None
    return (f"[{value}] * {program.grouped(shape, SIGNED)}", 1) if program.types.is_int(shape) else None


def _element(program: AnalyzedProgram, node: ast.AST, depth: int) -> list[Edit] | None:
    """The edit for one use of the array: none when a list does the same, None when it cannot."""
    parent = program.scopes.parent[node]
    match parent:
        case ast.Subscript(value=value, slice=ast.Tuple([row, column]) as index) if value is node and depth == 2:
            if program.types.is_int(row, column):
                return [program.replace(index, f"{program.source(row)}][{program.source(column)}")]
        case ast.Subscript(value=value, slice=index) if value is node and program.types.is_int(index):
            if depth == 1:
                return []
            match program.scopes.parent[parent]:
                case ast.Subscript(value=row, slice=column) if row is parent and program.types.is_int(column):
                    return []
        case ast.Call(func=func, args=[_], keywords=[]) if program.scopes.is_builtin(func, "len", "max", "min", "sum"):
            return [] if depth == 1 or program.source(func) == "len" else None
        case ast.For() | ast.comprehension():
            return [] if depth == 1 else None
    return None
