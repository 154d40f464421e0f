"""The sum of a range of whole numbers, by Gauss' formula."""

from __future__ import annotations

import ast

from codeopt.rules import INT, PRODUCT_OF, AnalyzedProgram, Context, Edits, as_diff, is_sum, names_in, rule, spans_lines

EXAMPLE = as_diff("""\
  n = int("10")
  total = 0
- for i in range(1, n + 1):
-     total += i
- print(total, sum(range(3, n)))
+ total += max(n + 1, 0) * n // 2
+ print(total, (3 + n - 1) * max(n - 3, 0) // 2)
""")


@rule(ast.Call, ast.For, example=EXAMPLE)
def closed_form(node: ast.Call | ast.For, ctx: Context) -> Edits:
    """The sum of consecutive whole numbers has a formula: do not add them up.

    Ranges with step 1 whose bounds are sums of names and constants that are whole numbers for certain; loops that do
    nothing else and whose counter is used nowhere else. Refused when max is rebound.
    """
    program = ctx.program
    match node:
        case ast.Call(func, [source], []) if program.scopes.is_builtin(func, "sum"):
            formula = _formula(program, source)
            if formula:
                yield program.put(node, formula)
        case ast.For():
            yield from _loop(program, node)


def _loop(program: AnalyzedProgram, loop: ast.For) -> Edits:
    """`for i in range(n): total += i`."""
    match loop:
        case ast.For(
            ast.Name(counter) as target,
            source,
            [ast.AugAssign(ast.Name(total) as sum_, ast.Add(), ast.Name(added))],
            [],
        ) if counter == added != total:
            formula = _formula(program, source)
            comment = "#" in program.source(loop)
            if not formula or comment or not program.alone(loop) or program.types.of(sum_) != INT:  # True + 0 is 1
                return []
            uses = program.scopes.all_uses(program.scopes.variable(target))
            fits = total not in names_in([source]) and all(program.holds(loop, use.node) for use in uses)
            return [program.replace(loop, f"{total} += {formula}")] if fits else []
    return []


def _formula(program: AnalyzedProgram, source: ast.expr) -> str:
    """The sum of `range(stop)` or `range(start, stop)`; empty when it is none, or of other than whole numbers."""
    match source:
        case ast.Call(args=bounds) if program.range_bounds(source) is not None:
            plain = all(is_sum(bound) for bound in bounds) and not spans_lines(source)
            if not plain or not program.types.is_int(*bounds) or not program.scopes.means_builtin("max", source):
                return ""
            return _gauss(program, bounds)
    return ""


def _gauss(program: AnalyzedProgram, bounds: list[ast.expr]) -> str:
    stop = program.source(bounds[-1])
    start = bounds[0] if len(bounds) == 2 else ast.Constant(0)
    if isinstance(start, ast.Constant) and start.value in (0, 1):
        match bounds[-1]:
            case ast.BinOp(ast.Name(name), ast.Add(), ast.Constant(1)):
                return f"max({stop}, 0) * {name} // 2"
        return f"max({stop}, 0) * ({stop} - 1) // 2"
    return f"({program.source(start)} + {stop} - 1) * max({stop} - {program.grouped(start, PRODUCT_OF)}, 0) // 2"
