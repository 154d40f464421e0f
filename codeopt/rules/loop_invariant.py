"""Calls that give the same in every round of a loop: call once, before it."""

from __future__ import annotations

import ast

from codeopt.rules import NUMBERS, STR, WHOLE, AnalyzedProgram, Context, Edits, as_diff, rule, spans_lines

CALLED = ("len", "abs", "pow", "min", "max", "sum")
SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Call, ast.expr_context)
"""Nodes that may be in the call and around it: operations on whole numbers that cannot fail."""

EXAMPLE = as_diff("""\
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


@rule(ast.Call, priority=100, example=EXAMPLE)
def loop_invariant(node: ast.Call, ctx: Context) -> Edits:
    """This call gives the same result in every round of the loop: call it once, before the loop.

    len, sum, abs, min, max and pow with a constant modulus, of whole numbers and of containers that the loop cannot
    change, directly, through another name or in a function that it calls; only calls that cannot fail, because the
    loop may not run at all.
    """
    found = _hoistable(ctx.program, node)
    if found is not None:
        place, whole = found
        source = ctx.program.source(whole)
        bare = isinstance(whole, ast.Call) and _of_elements(whole)
        value = f"{source[:-1].rstrip(', ')}, default=None)" if bare else source
        yield ctx.program.replace(whole, ctx.bind_before(place, value, _wanted(ctx.program, whole)))


def _hoistable(program: AnalyzedProgram, call: ast.Call) -> tuple[ast.stmt, ast.expr] | None:
    if spans_lines(call) or not _cannot_fail(program, call):
        return None
    best = program.loops.outermost_same(call)
    if best is None or (_of_elements(call) and not _goes_through(program, call, best)):
        return None
    return best, call if _of_elements(call) else _widened(program, best, call)


def _of_elements(call: ast.Call) -> bool:
    """Whether a call is min(values) or max(values), which fails on an empty container."""
    return isinstance(call.func, ast.Name) and call.func.id in ("min", "max") and len(call.args) == 1


def _goes_through(program: AnalyzedProgram, call: ast.Call, place: ast.stmt) -> bool:
    """Whether the call only runs in a loop over the same values, or over range(len(values)), which then are not
    empty."""
    (values,) = call.args
    assert isinstance(values, ast.Name)
    sources = (program.indexed(source) or source for source in program.loops.sources(call, place))
    return any(isinstance(source, ast.Name) and source.id == values.id for source in sources)


def _widened(program: AnalyzedProgram, loop: ast.stmt, node: ast.expr) -> ast.expr:
    """The largest sum or product of whole numbers around the call that stays the same too."""
    parent = program.scopes.parent[node]
    while isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub | ast.Mult):
        other = parent.right if parent.left is node else parent.left
        if not program.is_made_of(parent, SIMPLE) or spans_lines(parent) or not program.types.is_int(node, other):
            break
        if program.has(other, ast.Call) or not program.loops.keeps(loop, parent):
            break
        node, parent = parent, program.scopes.parent[parent]
    return node


def _cannot_fail(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Whether one more call, or one where there was none before, changes nothing and raises nothing."""
    if not program.calls_builtin(call, *CALLED) or not program.is_made_of(call, SIMPLE):
        return False
    match program.source(call.func), call.args:
        case "len", [ast.Name() as value]:
            return program.types.is_sized(value)
        case "sum", [ast.Name() as value]:
            return program.types.holds_only(value, WHOLE)
        case "abs", [value]:
            return program.types.is_int(value)
        case (("min" | "max"), [ast.Name() as value]):
            return program.types.holds_only(value, NUMBERS) or program.types.holds_only(value, STR)
        case (("min" | "max"), [_, _, *_]):
            return program.types.is_int(*call.args)
        case "pow", [base, exponent, modulus]:
            power, modulo = program.bounds.constant(exponent), program.bounds.constant(modulus)
            return program.types.is_int(base) and power is not None and power >= 0 and modulo is not None and modulo > 0
    return False


def _wanted(program: AnalyzedProgram, node: ast.expr) -> str:
    """Names for the value: rows_len for len(rows), rows_last for len(rows) - 1, a general name for others."""
    words = [name.id for name in program.names(node)]
    arguments = [word for word in words if word not in CALLED]
    function = next(word for word in words if word in CALLED)
    stem = f"{arguments[0]}_{function}" if arguments else function
    if isinstance(node, ast.BinOp):
        last = program.source(node).replace(" ", "") == f"len({arguments[0] if arguments else ''})-1"
        stem = f"{arguments[0]}_last" if last else f"{stem}_end" if function == "len" else f"{stem}_term"
    return stem
