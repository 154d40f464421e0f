"""A dict, list or set of constants that a function makes anew in each call: once, at the top of the module."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule, spans_lines

MIN_ELEMENTS = 3
"""Least elements of a table; a smaller one is made as fast as it is found."""
READS = frozenset({"get", "items", "keys", "values", "index", "count"})

EXAMPLE = as_diff("""\
+ NAMES = {"a": 1, "b": 2, "c": 3}
+
+
  def number(letter):
-     names = {"a": 1, "b": 2, "c": 3}
-     return names.get(letter, 0)
+     return NAMES.get(letter, 0)


  print(number("b"), number("x"))
""")


@rule(ast.Assign, example=EXAMPLE, where="hot")
def constant_table(node: ast.Assign, ctx: Context) -> list[Edit]:
    """The function makes the same table of constants in each call: make it once, at the top of the module.

    A dict, list or set of constants, bound once, that is only looked into, gone through or asked by `in`, so that
    nobody can change it, in the function itself.
    """
    program = ctx.program
    match node:
        case ast.Assign([ast.Name(name) as target], ast.Dict() | ast.List() | ast.Set() as table):
            function = program.scopes.scope[node]
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or not _constant(table):
                return []
            uses = program.scopes.all_uses(program.scopes.variable(target))
            if len(program.scopes.stores(program.scopes.variable(target))) != 1 or spans_lines(node):
                return []
            reads = [use.node for use in uses if use.node is not target]
            if (
                not program.alone(node)
                or program.block_of(node) == [node]
                or not program.liveness.assigned_before_use(program.scopes.variable(target), function.body)
            ):
                return []
            if reads and all(_is_read(program, read) and program.scopes.scope[read] is function for read in reads):
                shared = ctx.bind_on_top(program.source(table), name.upper().strip("_") or "TABLE")
                return [program.without_lines(node), *(program.replace(read, shared) for read in reads)]
    return []


def _constant(table: ast.Dict | ast.List | ast.Set) -> bool:
    parts = [*table.keys, *table.values] if isinstance(table, ast.Dict) else table.elts
    return len(parts) >= MIN_ELEMENTS and all(isinstance(part, ast.Constant) for part in parts)


def _is_read(program: AnalyzedProgram, name: ast.AST) -> bool:
    """Whether the table is only looked into."""
    match program.scopes.parent[name]:
        case ast.Subscript(owner, index, ast.Load()):
            return owner is name and not isinstance(index, ast.Slice)
        case ast.Compare(left, [ast.In() | ast.NotIn()], _):
            return left is not name
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is name
        case ast.Attribute(attr=attribute) if attribute in READS:
            call = program.method_call(name)
            if call is None:
                return False
            held = program.scopes.parent[call]
            return attribute in ("get", "index", "count") or (
                isinstance(held, ast.For | ast.comprehension) and held.iter is call
            )
        case ast.Call(func):
            return program.scopes.is_builtin(func, "len")
    return False
