"""A pure function that calls itself more than once: remember its results."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Container, Context, Edits, Effects, Variable, as_diff, deep, hashable, rule

KEYS = ({"int"}, {"str"}, {"bool"}, {"none"}, {"bytes"})
"""Kinds of argument, not to be mixed in one parameter: 1, 1.0 and True are the same key of a cache."""

EXAMPLE = as_diff("""\
+ from functools import cache
+
+
+ @cache
  def ways(n):
      if n < 2:
          return 1
      return ways(n - 1) + ways(n - 2)


  print(ways(16))
""")


@rule(ast.FunctionDef, example=EXAMPLE)
def memo_recursion(node: ast.FunctionDef, ctx: Context) -> Edits:
    """The function computes the same results again and again: remember them with functools.cache.

    Functions with at least two calls of themselves, positional arguments that are whole numbers or text, results that
    cannot change, no input or output, and nothing read from outside that changes after the first call. Refused with
    sys.setrecursionlimit: each level takes more stack. Memory grows with the number of arguments.
    """
    program = ctx.program
    if "setrecursionlimit" in program.words:  # deep recursion: the cache takes C stack for each level
        return
    if _branches(program, node) and _is_pure(program, node):
        ctx.import_from("functools", "cache")
        yield program.before(node, "@cache")


def _branches(program: AnalyzedProgram, function: ast.FunctionDef) -> bool:
    """Whether a function calls itself in two places or more, and all uses of it are calls with plain arguments."""
    calls = program.calls_of(program.scopes.variable(function)) or []
    if any(call.keywords or any(isinstance(each, ast.Starred) for each in call.args) for call in calls):
        return False
    own = sum(program.holds(function, call) for call in calls)
    arguments = function.args
    plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)
    return own > 1 and plain and bool(arguments.args) and not function.decorator_list and program.alone(function)


def _is_pure(program: AnalyzedProgram, function: ast.FunctionDef) -> bool:
    """Whether the result follows from the arguments, cannot be changed, and making it changes nothing else."""
    if program.has(function, ast.Yield, ast.YieldFrom, ast.Await):
        return False
    for argument in [*function.args.posonlyargs, *function.args.args]:
        values = program.types.of_variable(Variable(function, argument.arg))
        if not values or values not in KEYS:
            return False
    if not hashable(program.types.returned_by(function)):
        return False
    effects = program.effects.of(*function.body)
    inside = set(program.walk(function))
    own_variables = all(v.scope in inside for v in effects.stored)
    own_containers = all(program.types.maker(c) in inside for c in effects.changed)
    if effects.unknown or effects.io or not own_variables or not own_containers:
        return False
    return _world_stands_still(program, function, inside)


def _world_stands_still(program: AnalyzedProgram, function: ast.FunctionDef, inside: set[ast.AST]) -> bool:
    """Whether the function's outside variables are neither bound again nor changed from the first call on."""
    later = _after_first_call(program, function)
    if later is None or later.unknown:
        return False
    for node in inside:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            variable = program.scopes.variable(node)
            if variable.scope is None or variable.scope in inside or variable.name == function.name:
                continue
            values = program.types.of(node)
            changed = any(isinstance(v, Container) and v in later.changed for v in deep(values))
            if variable in later.stored or changed:
                return False
    return True


def _after_first_call(program: AnalyzedProgram, function: ast.FunctionDef) -> Effects | None:
    """The effects of the statements beside the definition, from the first one that may call the function."""
    scope = program.scopes.scope[function]
    body = getattr(scope, "body", None)
    if not isinstance(body, list) or function not in body:
        return None
    runs = [s for s in body if not isinstance(s, ast.FunctionDef)]
    for position, statement in enumerate(runs):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue  # modules know nothing of the function
        if function in program.effects.of(statement).called or program.effects.of(statement).unknown:
            return program.effects.of(*runs[position:])
    return None
