"""`for i in range(1, n + 1): if n % i == 0: ...`: find the divisors below the square root, and their partners."""

from __future__ import annotations

import ast
from typing import get_args

from codeopt.rules import AnalyzedProgram, Comprehension, Context, Edits, as_diff, divides, names_in, rule

HELPER = """\
def {name}(n, start, stop):
    \"\"\"The numbers of range(start, stop) that divide n, in order.\"\"\"
    if n == 0:
        yield from range(start, stop)
    n = abs(n)
    root = math.isqrt(n)
    for i in range(start, min(root + 1, stop)):
        if n % i == 0:
            yield i
    for i in range(root, 0, -1):
        if n % i == 0 and max(root + 1, start) <= n // i < stop:
            yield n // i"""
PARTS = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)

EXAMPLE = as_diff(
    """\
  import math
+
+
+ ...


  def divisor_sum(n):
      total = 0
-     for i in range(1, n):
+     for i in divisors(n, 1, n):
          if n % i == 0:
              total += i
      return total


  print([n for n in range(2, 500) if divisor_sum(n) == n], math.pi)
""",
    HELPER.format(name="divisors"),
)


@rule(ast.For, *get_args(Comprehension), example=EXAMPLE, builtins=("abs", "min", "max", "range"))
def only_divisors(node: ast.For | Comprehension, ctx: Context) -> Edits:
    """Divisors come in pairs around the square root: find them there, not among all numbers.

    Loops and comprehensions over range(start, stop) that do nothing for a number which does not divide n, with a
    start above zero and a stop made of n and numbers; n is a whole number that they do not change, and the loop's
    variable is not read after it.
    """
    program = ctx.program
    if isinstance(node, ast.For):
        source, fits = node.iter, _fits_loop(program, node)
    else:
        source, fits = node.generators[0].iter, _fits_comprehension(program, node)
    match source:
        case ast.Call(args=[start, stop]) if fits:
            ctx.import_module("math")
            name, number = ctx.define(HELPER, "divisors", "divisors_of"), program.names(stop)[0]
            given = f"{number.id}, {program.source(start)}, {program.source(stop)}"
            yield program.replace(source, f"{name}({given})")


def _fits_loop(program: AnalyzedProgram, loop: ast.For) -> bool:
    match loop.body:
        case [ast.If(test, _, [])] if _asks(test, loop.iter, loop.target, wanted=True):
            pass
        case [ast.If(test, [ast.Continue()], []), *_] if _asks(test, loop.iter, loop.target, wanted=False):
            pass
        case _:
            return False
    assert isinstance(loop.target, ast.Name)
    if loop.target.id in names_in(loop.orelse) or program.liveness.read_after(loop, loop.target.id):
        return False
    return _stays(program, loop, loop.iter)


def _fits_comprehension(program: AnalyzedProgram, node: Comprehension) -> bool:
    match node.generators[0]:
        case ast.comprehension(counter, source, [test, *_], 0) if _asks(test, source, counter, wanted=True):
            at_once = not isinstance(node, ast.GeneratorExp) or program.loops.uses_up(node)
            return at_once and _stays(program, node, source)
    return False


def _asks(test: ast.expr, source: ast.expr, counter: ast.expr, *, wanted: bool) -> bool:
    """Whether the test is, or starts with, `n % i == 0` (or the opposite) for the n of the range."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and wanted:
        return _asks(test.values[0], source, counter, wanted=True)
    match divides(test), source, counter:
        case (number, by, found), ast.Call(_, [_, stop], []), ast.Name(name):
            return found is wanted and by == name != number and names_in([stop]) == {number}
    return False


def _stays(program: AnalyzedProgram, root: ast.AST, source: ast.expr) -> bool:
    """Whether the range goes from one or more to a sum or part of n, a whole number that `root` does not change."""
    match program.range_bounds(source):
        case start, stop:
            numbers = program.names(stop)
            first = program.bounds.constant(start)
            fits = first is not None and first >= 1 and program.is_made_of(stop, PARTS)
            same = (program.effects.of(root).keeps(number) for number in numbers)
            return fits and program.types.is_int(stop, *numbers) and all(same)
    return False
