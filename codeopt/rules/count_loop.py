"""A loop that only counts values in a dict to one call: `Counter` counts in C."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, rule

EXAMPLE = as_diff("""\
+ from collections import Counter
+
+
  def frequencies(words):
      counts = {}
-     for word in words:
-         counts[word] = counts.get(word, 0) + 1
+     counts.update(Counter(words))
      return counts


  print(frequencies(["a", "b", "a"]))
""")
ELEMENT = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.Compare, ast.BoolOp, ast.UnaryOp,
           ast.BinOp, ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)  # fmt: skip
"""Kinds of nodes of what is counted, and of what it is counted on condition of."""


@dataclass(frozen=True)
class CountedValue:
    """One counting of a value."""

    table: ast.expr
    key: ast.expr


@rule(ast.For, example=EXAMPLE, safety="unsafe")
def count_loop(node: ast.For, ctx: Context) -> Edits:
    """Two lookups and an addition in Python for each value: a Counter counts all of them in C.

    A loop that does nothing else, for all values or those of one condition, right below its empty dict, Counter or
    defaultdict(int); what is counted is made of names, attributes, subscripts and constants.
    """
    program = ctx.program
    condition: ast.expr | None = None
    body = node.body
    if _counted(program, body) is None:
        match body:
            case [ast.If(test, inner, [])]:
                condition, body = test, inner
    found = _counted(program, body)
    if found is None or node.orelse or not isinstance(found.table, ast.Name) or not program.alone(node):
        return
    if not _is_plain(program, node, found.table, found.key, condition) or not _starts_empty(program, node, found.table):
        return
    names = {name.id for name in program.names(node.target)}
    if any(program.liveness.read_after(node, name) for name in names):
        return
    values = f"({program.source(node.iter)})" if isinstance(node.iter, ast.Tuple) else program.source(node.iter)
    if condition is not None or ast.dump(found.key) != ast.dump(_loaded(node.target)):
        only = f" if {program.source(condition)}" if condition is not None else ""
        text = program.source(found.key)
        text = f"({text})" if isinstance(found.key, ast.Tuple) else text
        values = f"[{text} for {program.source(node.target)} in {values}{only}]"
    ctx.import_from("collections", "Counter")
    yield program.replace(node, f"{found.table.id}.update(Counter({values}))")


def _loaded(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _counted(program: AnalyzedProgram, body: list[ast.stmt]) -> CountedValue | None:
    """The value that a block counts, if that is all it does."""
    match body:
        case [
            ast.Assign(
                [ast.Subscript(table, key)],
                ast.BinOp(
                    ast.Call(ast.Attribute(asked, "get"), [again, ast.Constant(0)], []), ast.Add(), ast.Constant(1)
                ),
            )
        ] if _same((table, asked), (key, again)):
            return CountedValue(table, key)
        case [ast.If(ast.Compare(key, [ast.In() | ast.NotIn() as sign], [table]), first, second)] if second:
            more, one = (first, second) if isinstance(sign, ast.In) else (second, first)
            return _one_more(more, one, CountedValue(table, key))
        case [
            ast.If(ast.Compare(key, [ast.NotIn()], [table]), [ast.Assign([ast.Subscript(asked, again)], value)], []),
            ast.AugAssign() as add,
        ]:
            zero = isinstance(value, ast.Constant) and value.value == 0 and _same((table, asked), (key, again))
            return _added(add, CountedValue(table, key)) if zero else None
        case [ast.AugAssign(ast.Subscript(table, key)) as add] if _is_counter(program, table):
            return _added(add, CountedValue(table, key))
    return None  # fmt: skip


def _one_more(more: list[ast.stmt], one: list[ast.stmt], count: CountedValue) -> CountedValue | None:
    """The count, where one block adds one and the other begins with one."""
    match more, one:
        case [ast.AugAssign() as add], [ast.Assign([ast.Subscript(asked, again)], ast.Constant(1))]:
            return _added(add, count) if _same((count.table, asked), (count.key, again)) else None
    return None


def _added(add: ast.AugAssign, count: CountedValue) -> CountedValue | None:
    match add:
        case ast.AugAssign(ast.Subscript(asked, again), ast.Add(), ast.Constant(1)):
            return count if _same((count.table, asked), (count.key, again)) else None
    return None


def _same(*pairs: tuple[ast.expr, ast.expr]) -> bool:
    return all(ast.unparse(one) == ast.unparse(other) for one, other in pairs)


def _is_plain(
    program: AnalyzedProgram, loop: ast.For, table: ast.Name, key: ast.expr, condition: ast.expr | None
) -> bool:
    """Whether what is counted neither asks the table nor does anything of its own."""
    parts = [key, *([condition] if condition is not None else [])]
    asks = any(table.id == name.id for part in (loop.iter, loop.target, *parts) for name in program.names(part))
    targets = program.is_made_of(loop.target, (ast.Name, ast.Tuple, ast.expr_context))
    odd = isinstance(program.scopes.scope[loop], ast.ClassDef) or "#" in program.source(loop)  # a comment would go
    odd = odd or program.has(loop.iter, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
    return not asks and targets and not odd and all(program.is_made_of(part, ELEMENT) for part in parts)


def _starts_empty(program: AnalyzedProgram, loop: ast.For, table: ast.Name) -> bool:
    """Whether the statement above makes the table, empty."""
    block = program.block_of(loop)
    at = block.index(loop)
    return at > 0 and _made_empty(program, block[at - 1], table) in ("dict", "Counter", "defaultdict")


def _is_counter(program: AnalyzedProgram, table: ast.expr) -> bool:
    """Whether all that is stored in a variable gives 0 for what it has not."""
    if not isinstance(table, ast.Name):
        return False
    stores = program.scopes.stores(program.scopes.variable(table))
    made = [program.scopes.parent[use.node] for use in stores]
    kinds = {_made_empty(program, each, table) for each in made if isinstance(each, ast.stmt)}
    return len(made) > 0 and all(isinstance(each, ast.stmt) for each in made) and kinds <= {"Counter", "defaultdict"}


def _made_empty(program: AnalyzedProgram, statement: ast.stmt, table: ast.Name) -> str:
    """The kind of the empty table that a statement stores in the variable; empty for another one."""
    match statement:
        case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
            if name != table.id:
                return ""
        case _:
            return ""
    match value:
        case ast.Dict([], []):
            return "dict"
        case ast.Call(ast.Name("dict") as func, [], []) if program.scopes.is_builtin(func):
            return "dict"
        case ast.Call(ast.Name("Counter") | ast.Attribute(ast.Name("collections"), "Counter"), [], []):
            return "Counter"
        case ast.Call(
            ast.Name("defaultdict") | ast.Attribute(ast.Name("collections"), "defaultdict"),
            [ast.Name("int") as made],
            [],
        ) if program.scopes.is_builtin(made):
            return "defaultdict"
    return ""
