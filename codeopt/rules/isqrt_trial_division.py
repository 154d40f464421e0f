"""Looking for a divisor of n: none above the square root is the smallest."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, divides, names_in, rule, sets_constant

EXAMPLE = as_diff("""\
+ from math import isqrt
+
+
  def is_prime(n):
      if n < 2:
          return False
-     for i in range(2, n):
+     for i in range(2, isqrt(max(n, 1)) + 1):
          if n % i == 0:
              return False
      return True


  print([n for n in range(30) if is_prime(n)])
""")


@rule(ast.For, ast.GeneratorExp, example=EXAMPLE)
def isqrt_trial_division(node: ast.For | ast.GeneratorExp, ctx: Context) -> Edits:
    """A number without a divisor up to its square root has none: stop looking there.

    Loops and any/all over range(2, n) or range(2, n // 2 + 1), n a whole number, that only ask whether some divisor
    exists: the first one found ends the search and is not used. Refused when max is rebound.
    """
    stop = _searched(ctx.program, node)
    if stop is not None:
        number, old = stop
        ctx.import_from("math", "isqrt")
        yield ctx.program.replace(old, f"isqrt(max({number}, 1)) + 1")


def _searched(program: AnalyzedProgram, node: ast.For | ast.GeneratorExp) -> tuple[str, ast.expr] | None:
    """The number whose divisor is looked for, and the end of the range."""
    match node:
        case ast.For(ast.Name(divisor), source, [ast.If(test, body, [])]) if _stops(body, divisor):
            return None if _used_outside(program, node, divisor) else _range(program, source, test, divisor, True)
        case ast.GeneratorExp(test, [ast.comprehension(ast.Name(divisor), source, [])]):
            call = program.scopes.parent[node]
            if isinstance(call, ast.Call) and program.calls_builtin(call, "any", "all") and len(call.args) == 1:
                wanted = program.scopes.is_builtin(call.func, "any")
                return _range(program, source, test, divisor, wanted)
    return None


def _range(
    program: AnalyzedProgram, source: ast.expr, test: ast.expr, divisor: str, wanted: bool
) -> tuple[str, ast.expr] | None:
    match program.range_bounds(source), divides(test):
        case (ast.Constant(2), stop), (number, by, found) if by == divisor != number and found is wanted:
            name = next((name for name in program.names(stop) if name.id == number), None)
            fits = ast.unparse(stop) in (number, f"{number} // 2 + 1")
            if name is not None and fits and program.scopes.means_builtin("max", source) and program.types.is_int(name):
                return number, stop
    return None


def _stops(body: list[ast.stmt], divisor: str) -> bool:
    """Whether the first divisor that is found ends the search: constants are set, then break or return."""
    *settings, end = body
    leaves = isinstance(end, ast.Break) or (isinstance(end, ast.Return) and isinstance(end.value, ast.Constant | None))
    return all(map(sets_constant, settings)) and leaves and divisor not in names_in(settings)


def _used_outside(program: AnalyzedProgram, loop: ast.For, divisor: str) -> bool:
    inside = {node for part in [loop.target, *loop.body] for node in program.walk(part)}  # the else sees the last one
    variable = program.scopes.owner(divisor, program.scopes.scope[loop])
    return not inside.issuperset(program.scopes.loads(variable))
