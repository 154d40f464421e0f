"""Work of a loop that need not be done in every round, or in all rounds."""

from __future__ import annotations

import ast
import re

from codeopt import rules

CALLED = ("len", "abs", "pow", "min", "max", "sum")
SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Call, ast.expr_context)
"""Nodes that may be in the call and around it: operations on whole numbers that cannot fail."""
SUM = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.expr_context)
"""Nodes of a sum or difference of names and numbers: no effects, and monotonic in each of its names."""

LOOP_INVARIANT = rules.as_diff("""\
  def total(values, steps):
      modulus = 10**9 + 7
      result = 0
      i = 0
-     while i < len(values) - 1:
+     values_last = len(values) - 1
+     steps_pow = pow(steps, modulus - 2, modulus)
+     while i < values_last:
          # weighted
-         result += values[i] * pow(steps, modulus - 2, modulus)
+         result += values[i] * steps_pow
          i += 1
      return result


  print(total([3, 1, 4], 5))
""")


@rules.rule(ast.Call, priority=100, example=LOOP_INVARIANT)
def loop_invariant(node: ast.Call, ctx: rules.Context) -> rules.Edits:
    """This call gives the same result in every round of the loop: call it once, before the loop.

    len, sum, abs, min, max and pow with a constant modulus, of whole numbers and of containers that the loop cannot
    change, directly, through another name or in a function that it calls; only calls that cannot fail, because the
    loop may not run at all.
    """
    program = ctx.program
    if rules.spans_lines(node) or not _cannot_fail(program, node):
        return
    # min(values) or max(values), which fails on an empty container
    bare = isinstance(node.func, ast.Name) and node.func.id in ("min", "max") and len(node.args) == 1
    place = program.loops.outermost_same(node)
    if place is None or (bare and not _goes_through(program, node, place)):
        return
    whole = node if bare else _widened(program, place, node)
    source = program.source(whole)
    value = f"{source[:-1].rstrip(', ')}, default=None)" if bare else source
    yield program.replace(whole, ctx.bind_before(place, value, _wanted(program, whole)))


def _goes_through(program: rules.AnalyzedProgram, call: ast.Call, place: ast.stmt) -> bool:
    """Whether the call only runs in a loop over the same values, or over range(len(values)), which then are not
    empty."""
    (values,) = call.args
    assert isinstance(values, ast.Name)
    sources = (program.indexed(source) or source for source in program.loops.sources(call, place))
    return any(isinstance(source, ast.Name) and source.id == values.id for source in sources)


def _widened(program: rules.AnalyzedProgram, loop: ast.stmt, node: ast.expr) -> ast.expr:
    """The largest sum or product of whole numbers around the call that stays the same too."""
    parent = program.scopes.parent[node]
    while isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub | ast.Mult):
        other = parent.right if parent.left is node else parent.left
        if not program.is_made_of(parent, SIMPLE) or rules.spans_lines(parent) or not program.types.is_int(node, other):
            break
        if program.has(other, ast.Call) or not program.loops.keeps(loop, parent):
            break
        node, parent = parent, program.scopes.parent[parent]
    return node


def _cannot_fail(program: rules.AnalyzedProgram, call: ast.Call) -> bool:
    """Whether one more call, or one where there was none before, changes nothing and raises nothing."""
    if not program.calls_builtin(call, *CALLED) or not program.is_made_of(call, SIMPLE):
        return False
    match program.source(call.func), call.args:
        case "len", [ast.Name() as value]:
            return program.types.is_sized(value)
        case "sum", [ast.Name() as value]:
            return program.types.holds_only(value, rules.WHOLE)
        case "abs", [value]:
            return program.types.is_int(value)
        case (("min" | "max"), [ast.Name() as value]):
            return program.types.holds_only(value, rules.NUMBERS) or program.types.holds_only(value, rules.STR)
        case (("min" | "max"), [_, _, *_]):
            return program.types.is_int(*call.args)
        case "pow", [base, exponent, modulus]:
            power, modulo = program.bounds.constant(exponent), program.bounds.constant(modulus)
            return program.types.is_int(base) and power is not None and power >= 0 and modulo is not None and modulo > 0
    return False


def _wanted(program: rules.AnalyzedProgram, node: ast.expr) -> str:
    """Names for the value: rows_len for len(rows), rows_last for len(rows) - 1, a general name for others."""
    words = [name.id for name in program.names(node)]
    arguments = [word for word in words if word not in CALLED]
    function = next(word for word in words if word in CALLED)
    stem = f"{arguments[0]}_{function}" if arguments else function
    if isinstance(node, ast.BinOp):
        last = program.source(node).replace(" ", "") == f"len({arguments[0] if arguments else ''})-1"
        stem = f"{arguments[0]}_last" if last else f"{stem}_end" if function == "len" else f"{stem}_term"
    return stem


# `grid[i][j]` in a loop over j: look up the row once.


ROW_HOIST = rules.as_diff("""\
  def paths(n):
      grid = [[1] * n for _ in range(n)]
      for i in range(1, n):
+         grid_i = grid[i]
+         grid_i_1 = grid[i - 1]
          for j in range(1, n):
-             grid[i][j] = grid[i - 1][j] + grid[i][j - 1]
+             grid_i[j] = grid_i_1[j] + grid_i[j - 1]
      return grid[n - 1][n - 1]


  print(paths(5))
""")


@rules.rule(ast.Subscript, priority=120, example=ROW_HOIST)
def row_hoist(node: ast.Subscript, ctx: rules.Context) -> rules.Edits:
    """The row is the same in every round of the inner loop: look it up once, before the loop.

    A list of rows bound to a name once, with a length that the text shows (a comprehension or loop over range(n),
    [...] * n), which nothing shrinks; an index counted by a range around the loop that shows to stay within it;
    nothing in the loop replaces a row.
    """
    program, inner = ctx.program, ctx.program.scopes.parent[node]
    # the `a[i]` of `a[i][j]`, with a sum of names and numbers for i
    is_row = isinstance(inner, ast.Subscript) and inner.value is node and isinstance(node.value, ast.Name)
    plain = is_row and program.is_made_of(node.slice, SUM) and not rules.spans_lines(node)
    if plain and (loop := _outermost(program, node)) is not None:
        source = ctx.program.source(node)
        stem = "_".join(re.findall(r"\w+", source))  # grid[i] becomes grid_i, grid[i + 1] grid_i_1
        name = ctx.bind_before(loop, source, stem, *(f"{stem}_row{end}" for end in ("", "_2", "_3", "_4")))
        yield ctx.program.replace(node, name)


def _outermost(program: rules.AnalyzedProgram, node: ast.Subscript) -> rules.Loop | None:
    """The outermost loop around in which the row stays the same and before which it exists."""
    best: rules.Loop | None = None
    for loop in program.loops.around(node):
        if not program.alone(loop) or not program.effects.of(loop).keeps(node):
            break
        assert isinstance(node.value, ast.Name)
        if program.loops.keeps(loop, node) and program.bounds.index_is_valid(node.value, node.slice, loop):
            best = loop
    return best


# Looking for a divisor of n: none above the square root is the smallest.


ISQRT_TRIAL_DIVISION = rules.as_diff("""\
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


@rules.rule(ast.For, ast.GeneratorExp, example=ISQRT_TRIAL_DIVISION)
def isqrt_trial_division(node: ast.For | ast.GeneratorExp, ctx: rules.Context) -> rules.Edits:
    """A number without a divisor up to its square root has none: stop looking there.

    Loops and any/all over range(2, n) or range(2, n // 2 + 1), n a whole number, that only ask whether some divisor
    exists: the first one found ends the search and is not used. Refused when max is rebound.
    """
    stop = _searched(ctx.program, node)
    if stop is not None:
        number, old = stop
        ctx.import_from("math", "isqrt")
        yield ctx.program.replace(old, f"isqrt(max({number}, 1)) + 1")


def _searched(program: rules.AnalyzedProgram, node: ast.For | ast.GeneratorExp) -> tuple[str, ast.expr] | None:
    """The number whose divisor is looked for, and the end of the range."""
    match node:
        case ast.For(ast.Name(divisor), source, [ast.If(test, body, [])]) if _stops(body, divisor):
            inside = {part for top in [node.target, *node.body] for part in program.walk(top)}
            variable = program.scopes.owner(divisor, program.scopes.scope[node])
            if inside.issuperset(program.scopes.loads(variable)):  # the else sees the last one
                return _range(program, source, test, divisor, True)
        case ast.GeneratorExp(test, [ast.comprehension(ast.Name(divisor), source, [])]):
            call = program.scopes.parent[node]
            if isinstance(call, ast.Call) and program.calls_builtin(call, "any", "all") and len(call.args) == 1:
                wanted = program.scopes.is_builtin(call.func, "any")
                return _range(program, source, test, divisor, wanted)
    return None


def _range(
    program: rules.AnalyzedProgram, source: ast.expr, test: ast.expr, divisor: str, wanted: bool
) -> tuple[str, ast.expr] | None:
    match program.range_bounds(source), rules.divides(test):
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
    return all(map(rules.sets_constant, settings)) and leaves and divisor not in rules.names_in(settings)
