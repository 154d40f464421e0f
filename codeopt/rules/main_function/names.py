"""Names that would mean something else in a function, and classes that may move into one. Part of main_function."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Edit, Use, Variable, last_line
from codeopt.rules.main_function.units import Split

TELLS = frozenset({"type", "__class__", "__qualname__", "__module__", "__subclasses__"})
"""Words of a program that may print where a class was made: `__main__.Box` becomes `__main__.main.<locals>.Box`."""

LATER = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp | ast.ClassDef
"""Nodes whose code runs later than its place."""


def renamed(program: AnalyzedProgram, split: Split, name: str) -> list[Edit] | None:
    """Edits that rename the variable of a builtin's name, bound the first time by a statement of the moved code.

    Before that statement, and on its right side, the name means the builtin. After it, the variable.
    """
    uses = program.scopes.all_uses(Variable(program.tree, name))
    first = _first_binding(program, split, uses)
    if first is None or any(name in program.scopes.declared[use.scope] for use in uses):
        return None
    new = program.fresh(f"{name}_")
    target = first.targets[0]
    edits = []
    for use in uses:
        if not isinstance(use.node, ast.Name) or program.source(use.node) != name or use.kind == "del":
            return None
        if any(isinstance(p, ast.JoinedStr) and p.lineno != last_line(p) for p in program.scopes.parents(use.node)):
            return None  # the positions in f-strings over several lines are not exact
        if use.node is not target and program.span(use.node)[0] < program.span(first)[1]:
            if any(isinstance(scope, LATER) for scope in [use.scope, *program.scopes.parents(use.scope)]):
                return None
            continue
        edits.append(program.replace(use.node, new))
    return list(dict.fromkeys(edits))  # `x += 1` uses x twice


def _first_binding(program: AnalyzedProgram, split: Split, uses: list[Use]) -> ast.Assign | None:
    """The statement `name = ...` that binds it first, when it runs exactly once, before all nodes below it."""
    stores = sorted((use.node for use in uses if use.kind == "store"), key=lambda node: program.span(node)[0])
    statement = program.scopes.parent[stores[0]]
    if isinstance(statement, ast.Assign) and statement.targets == [stores[0]] and statement in split.body:
        return statement
    return None


def tells_names(program: AnalyzedProgram) -> bool:
    """Whether the program may print the full name of a function, then `main.<locals>.f`: a TypeError of a call has
    it."""
    return "__qualname__" in program.words or program.catches("TypeError", named=True)


def class_may_move(program: AnalyzedProgram, statement: ast.ClassDef) -> bool:
    """Whether the program only calls the class, reads its attributes or asks isinstance: no use shows where it was
    made."""
    if TELLS & program.words or program.scopes.declared.get(statement):
        return False
    variable = Variable(program.tree, statement.name)
    return all(use.kind == "store" or _hides_its_name(program, use) for use in program.scopes.all_uses(variable))


def _hides_its_name(program: AnalyzedProgram, use: Use) -> bool:
    match program.scopes.parent[use.node]:
        case ast.Call(func=func, args=arguments):
            asked = len(arguments) == 2 and use.node is arguments[1] and program.scopes.is_builtin(func, "isinstance")
            return func is use.node or asked
        case ast.Attribute(attr=name):
            return not name.startswith("__")
    return False
