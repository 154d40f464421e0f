"""`sum(values[a:b])` in a loop that leaves the values as they are: the difference of two running sums."""

from __future__ import annotations

import ast

from codeopt.rules import WHOLE, Context, Edits, as_diff, rule

HELPER = """\
def {name}(sums, start, stop):
    \"\"\"The sum of values[start:stop], from the running sums of the values.\"\"\"
    start, stop, _ = slice(start, stop).indices(len(sums) - 1)
    return sums[stop] - sums[start] if start < stop else 0"""


EXAMPLE = as_diff(
    """\
  import sys
+ from itertools import accumulate
+
+
+ ...
+

  heights = list(map(int, "3 1 4 1 5 9 2 6".split()))
  best = 0
+ heights_sums = [0, *accumulate(heights)]
  for start in range(len(heights)):
-     best = max(best, sum(heights[start : start + 3]))
+     best = max(best, range_sum(heights_sums, start, start + 3))
  print(best, file=sys.stdout)
""",
    HELPER.format(name="range_sum"),
)


@rule(ast.Call, example=EXAMPLE, builtins=("len", "slice"))
def prefix_sums(node: ast.Call, ctx: Context) -> Edits:
    """sum() of a slice copies it and adds all of it up: a difference of two running sums gives the same at once.

    Slices without a step of a list or tuple of whole numbers that the loop does not change through any name. It pays
    for long slices only: the judge decides.
    """
    program = ctx.program
    match node:
        case ast.Call(_, [ast.Subscript(ast.Name(name) as values, ast.Slice(lower, upper, None))]):
            bounds = [bound for bound in (lower, upper) if bound is not None]
            whole = program.types.holds_only(values, WHOLE) and program.types.is_int(*bounds)
            if not bounds or not whole or not program.calls_builtin(node, "sum"):
                return
            sums = ctx.bind_kept(node, values, f"[0, *accumulate({name})]", f"{name}_sums")
            if sums:
                ctx.import_from("itertools", "accumulate")
                function = ctx.define(HELPER, "range_sum", "sum_between")
                written = ", ".join(program.source(b) if b is not None else "None" for b in (lower, upper))
                yield program.replace(node, f"{function}({sums}, {written})")
