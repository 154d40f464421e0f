"""min() and max() of a few values to comparisons: a call costs ten comparisons."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from codeopt.rules import INT, AnalyzedProgram, Context, Edit, as_diff, is_simple, names_in, rule, spans_lines

SIGN = {"min": "<", "max": ">"}
CHANGING = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)

EXAMPLE = as_diff("""\
  def best(values, limit):
      high = 0
      for i in range(len(values)):
-         high = max(high, values[i] - i)  # the highest
-         values[i] = min(values[i], limit)
-     return min(high, limit)
+         candidate = values[i] - i
+         if candidate > high:
+             high = candidate  # the highest
+         if limit < values[i]:
+             values[i] = limit
+     return limit if limit < high else high


  print(best([3, 9, 4], 7))
""")


@rule(ast.Call, example=EXAMPLE, where="hot loop", priority=140)
def min_max_conditional(call: ast.Call, ctx: Context) -> list[Edit]:
    """A call of min() or max() costs several comparisons: compare directly.

    Only positional arguments, at least two, without key and default. Arguments that would be evaluated twice have to
    be names, numbers or plain arithmetic and subscripts in a program whose classes do not redefine operators. Ties,
    NaN and mixed int and float give the same object as before; when both arguments fail, another one may fail first.
    """
    program = ctx.program
    if not _is_candidate(program, call):
        return []
    statement, scope = program.scopes.parent[call], program.scopes.scope[call]
    match statement:
        case ast.Assign(targets=[target]) if program.alone(statement) and not isinstance(scope, ast.ClassDef):
            lines = _update(program, target, call) or _build(program, target, call)
            if lines:
                below = (program.newline + program.margin(statement)).join(lines)
                return [program.replace(statement, below)]
    if len(call.args) == 2 and all(program.purity.is_cheap(argument) for argument in call.args):
        a, b = (program.source(argument) for argument in call.args)
        return [program.put(call, f"{b} if {b} {_sign(call)} {a} else {a}")]
    return []


def _is_candidate(program: AnalyzedProgram, call: ast.Call) -> bool:
    if not program.calls_builtin(call, "min", "max") or len(call.args) < 2 or spans_lines(call):
        return False
    return not any(program.calls_builtin(p, "min", "max") for p in program.scopes.parents(call))


def _update(program: AnalyzedProgram, target: ast.expr, call: ast.Call) -> list[str] | None:
    """`x = min(x, ...)`: store only what is smaller. None when it is something else or might see a changed x."""
    place = program.source(target)
    at = [i for i, argument in enumerate(call.args) if program.source(argument) == place]
    others = [argument for i, argument in enumerate(call.args) if i not in at]
    first, second = at == [0] and bool(others), at == [1] and len(others) == 1
    if not (first or second) or not program.purity.is_plain(target):
        return None
    if isinstance(target, ast.Name):
        if _may_change(program, target, others) or target.id in names_in(others[1:]):
            return None
    elif len(others) > 1 or not program.purity.is_plain(others[0]):
        return None
    ties_differ = second and not all(program.types.of(one) == INT for one in [target, *others])
    return _compared(program, place, call, others, ties_differ)


def _build(program: AnalyzedProgram, target: ast.expr, call: ast.Call) -> list[str] | None:
    """Return the lines for `x = min(a, b, ...)`: the first, then each smaller one. None if an argument might see x."""
    first, *others = call.args
    if isinstance(target, ast.Name):
        if target.id in names_in(others) or _may_change(program, target, others):
            return None
        return [f"{target.id} = {program.source(first)}", *_compared(program, target.id, call, others)]
    if len(others) != 1 or not all(program.purity.is_plain(each) for each in [target, *call.args]):
        return None
    if all(program.purity.is_cheap(argument) for argument in call.args):
        return None  # one conditional expression will do
    one, other = _temporary(program), program.fresh("other", "other_value", "rival")
    return [
        f"{one} = {program.source(first)}",
        f"{other} = {program.source(others[0])}",
        f"{program.source(target)} = {other} if {other} {_sign(call)} {one} else {one}",
    ]


def _compared(
    program: AnalyzedProgram, place: str, call: ast.Call, others: Sequence[ast.expr], ties_differ: bool = False
) -> list[str]:
    """Store each of the others in the place where it is smaller; where ties differ, unless what is there is smaller."""
    lines = []
    for other in others:
        value = program.source(other)
        if not is_simple(other):
            lines.append(f"{_temporary(program)} = {value}")
            value = _temporary(program)
        test = f"not {place} {_sign(call)} {value}" if ties_differ else f"{value} {_sign(call)} {place}"
        lines += [f"if {test}:", f"{program.indent}{place} = {value}"]
    return lines


def _may_change(program: AnalyzedProgram, target: ast.Name, others: Sequence[ast.expr]) -> bool:
    """Whether a call in the other arguments could rebind the target."""
    calls = any(program.has(other, *CHANGING) for other in others)
    return calls and not program.purity.only_stored_here(target)


def _sign(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name)
    return SIGN[call.func.id]


def _temporary(program: AnalyzedProgram) -> str:
    return program.fresh("candidate", "value", "option")
