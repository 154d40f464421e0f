"""Counting the elements below or above a value, in a loop: sort once, then search by halves."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.rules import WHOLE, AnalyzedProgram, Context, Edits, as_diff, both_ways, names_in, rule, spans_lines

SEARCH = {"<": "bisect_left", "<=": "bisect_right", ">": "bisect_right", ">=": "bisect_left"}


@dataclass(frozen=True, eq=False)
class Count:
    """`sum(1 for v in values if v < limit)`, or `len([v for v in values if v < limit])`."""

    values: ast.Name
    sign: str
    limit: ast.expr


EXAMPLE = as_diff("""\
+ from bisect import bisect_left, bisect_right
+
  uppers = list(map(int, "3 1 4 1 5".split()))
  lowers = list(map(int, "2 7 1 8".split()))
  total = 0
+ sorted_uppers = sorted(uppers)
+ sorted_lowers = sorted(lowers)
  for middle in [2, 4, 6]:
-     total += len([u for u in uppers if u < middle]) * sum(1 for low in lowers if low > middle)
+     total += bisect_left(sorted_uppers, middle) * (len(sorted_lowers) - bisect_right(sorted_lowers, middle))
  print(total)
""")


@rule(ast.Call, example=EXAMPLE, builtins=("len", "sorted"))
def bisect_count(node: ast.Call, ctx: Context) -> Edits:
    """The whole list is gone through for each count: in a sorted copy, bisect finds the place in a few steps.

    Counts of one comparison with the element of a list or tuple of whole numbers, which the loop does not change
    through any name, and a limit that is a whole number: names, sums and products, and elements that show to exist.
    """
    program = ctx.program
    count = _count(program, node)
    if count is None or not program.types.holds_only(count.values, WHOLE):
        return
    if not program.types.is_int(count.limit) or not _cannot_fail(program, count.limit):
        return
    name = ctx.bind_kept(node, count.values, f"sorted({count.values.id})", f"sorted_{count.values.id}")
    if name:
        ctx.import_from("bisect", SEARCH[count.sign])
        found = f"{SEARCH[count.sign]}({name}, {program.source(count.limit)})"
        yield program.put(node, found if count.sign in ("<", "<=") else f"len({name}) - {found}")


def _count(program: AnalyzedProgram, call: ast.Call) -> Count | None:
    adds, measures = program.calls_builtin(call, "sum"), program.calls_builtin(call, "len")
    match call.args:
        case [ast.GeneratorExp(ast.Compare() as test, [ast.comprehension(ifs=[]) as one])] if adds:
            return _compared(call, one, test)
        case [ast.GeneratorExp(ast.Constant(int(1)), [ast.comprehension(ifs=[test]) as one])] if adds:
            return _compared(call, one, test)
        case [ast.ListComp(ast.Constant(int(1)), [ast.comprehension(ifs=[test]) as one])] if adds:
            return _compared(call, one, test)
        case [ast.ListComp(ast.Name() | ast.Constant() as each, [ast.comprehension(ifs=[test]) as one])] if measures:
            return _compared(call, one, test) if names_in([each]) <= names_in([one.target]) else None
    return None


def _compared(call: ast.Call, one: ast.comprehension, test: ast.expr) -> Count | None:
    match one:
        case ast.comprehension(ast.Name(target), ast.Name() as values, _, 0) if not spans_lines(call):
            for element, sign, limit in both_ways(test):
                if isinstance(element, ast.Name) and element.id == target and target not in names_in([limit]):
                    return Count(values, sign, limit)
    return None


def _cannot_fail(program: AnalyzedProgram, limit: ast.expr) -> bool:
    """Whether computing the limit cannot fail: for an empty list the original never computes it."""
    match limit:
        case ast.Name() | ast.Constant():
            return True
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            return all(_cannot_fail(program, part) and program.types.is_int(part) for part in (left, right))
        case ast.Subscript(ast.Name() as values, index):
            return _cannot_fail(program, index) and program.bounds.index_is_valid(values, index, limit)
    return False
