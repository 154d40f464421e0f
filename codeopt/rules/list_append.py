"""`values = values + [x]` in a loop, which copies the list each time, to `values.append(x)`."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, Edits, Use, Variable, as_diff, rule, spans_lines

METHODS = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "index", "count", "copy"}
)
READERS = ("len", "sum", "min", "max", "sorted", "print", "list", "tuple", "set", "any", "all", "str", "bool")
"""Builtins that look at a list and let it go."""

EXAMPLE = as_diff("""\
  squares = []
  for i in range(9):
      if i % 2:
-         squares = squares + [i * i]  # odd
+         squares.append(i * i)  # odd
  print(squares)
""")


@rule(ast.Module, example=EXAMPLE)
def list_append(_: ast.Module, ctx: Context) -> Edits:
    """values + [x] copies the whole list to add one element: append it.

    A variable of one scope that is only bound to lists made there, and that is never passed on, stored, captured or
    iterated over while it grows: measured, printed, searched, read by index or returned.
    """
    program = ctx.program
    for variable, uses in program.scopes.uses.items():
        grown = [found for use in uses if (found := _grown(program, use))]
        wanted = [s for s in grown if program.loops.run_again(s, functions=False) and ctx.is_hot(s)]
        if wanted and variable.scope is not None and all(_held_alone(program, variable, use, grown) for use in uses):
            yield from (_appended(program, statement) for statement in grown)


def _grown(program: AnalyzedProgram, use: Use) -> ast.Assign | None:
    """The statement `values = values + [...]` that stores the name."""
    match program.scopes.parent.get(use.node):
        case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(left), ast.Add(), ast.List(elts))) as statement:
            odd = any(isinstance(part, ast.Starred | ast.NamedExpr) for e in elts for part in ast.walk(e))
            if name == left and elts and not odd and use.kind == "store" and not spans_lines(statement):
                return statement
    return None


def _appended(program: AnalyzedProgram, statement: ast.Assign) -> Edit:
    match statement:
        case ast.Assign([target], ast.BinOp(right=ast.List([value]))):
            return program.replace(statement, f"{program.source(target)}.append({program.source(value)})")
        case ast.Assign([target], ast.BinOp(right=several)):
            return program.replace(statement, f"{program.source(target)} += {program.source(several)}")
    raise AssertionError(ast.dump(statement))


def _held_alone(program: AnalyzedProgram, variable: Variable, use: Use, grown: list[ast.Assign]) -> bool:
    """Whether the use neither gives the list another name nor is a loop over it in which it grows."""
    parent = program.scopes.parent[use.node]
    if use.scope is not variable.scope or isinstance(use.scope, ast.ClassDef) or use.kind == "del":
        return False
    if use.kind == "store":
        return any(parent is statement for statement in grown) or _is_fresh(program, parent)
    match parent:
        case ast.BinOp(left=left):
            return left is use.node and any(parent is statement.value for statement in grown)
        case ast.For(iter=source):
            return source is use.node and not any(program.holds(parent, statement) for statement in grown)
        case ast.Return():
            return not any(isinstance(node, ast.Try) for node in ast.walk(use.scope))
        case ast.Attribute(attr=name):
            return name in METHODS and program.method_call(use.node) is not None
        case ast.Call(func=func):
            return func is not use.node and not parent.keywords and program.scopes.is_builtin(func, *READERS)
        case ast.Compare(ops=operators):
            return not any(isinstance(sign, ast.Is | ast.IsNot) for sign in operators)
    looked_at = isinstance(parent, ast.Subscript) and parent.value is use.node
    return looked_at or isinstance(parent, ast.If | ast.While | ast.UnaryOp | ast.Starred | ast.FormattedValue)


def _is_fresh(program: AnalyzedProgram, statement: ast.AST) -> bool:
    """Whether a statement binds the name to a list that is made there."""
    match statement:
        case ast.Assign([_], ast.List() | ast.ListComp()) | ast.AnnAssign(value=ast.List() | ast.ListComp()):
            return True
        case ast.Assign([_], ast.Call(func)):
            return program.scopes.is_builtin(func, "list", "sorted")
    return False
