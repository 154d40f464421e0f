"""`int(c) for c in digits` to `map(int, digits)`: the loop runs in C."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule, spans_lines

FUNCTIONS = ("int", "float", "str", "abs", "len", "ord", "chr", "bool", "bin", "hex", "oct", "repr", "bytes")
LAZY = ("sum", "max", "min", "sorted", "list", "tuple", "set", "frozenset", "any", "all")
"""Builtins that use up an iterable and forget how it was made."""
EAGER = tuple(name for name in LAZY if name not in ("any", "all"))
"""Builtins that go through all of an iterable, so that a list made before and a map fail in the same way."""
UNPACKED = ("map(int,", "map(float,")
"""Beginnings of maps that may be unpacked: too many values and a text that is no number are both a ValueError."""

EXAMPLE = as_diff("""\
  total = 0
  for number in range(30):
-     digits = [int(c) for c in str(number)]
-     total += max(digits) + sum(int(c) for c in str(number * 7))
+     digits = list(map(int, str(number)))
+     total += max(digits) + sum(map(int, str(number * 7)))
  print(total)
""")


@rule(ast.GeneratorExp, ast.ListComp, example=EXAMPLE)
def call_to_map(node: ast.GeneratorExp | ast.ListComp, ctx: Context) -> list[Edit]:
    """A comprehension that only calls a builtin runs Python code for each element: map() does it in C.

    int, float, str, abs, len, ord, chr, bool, bin, hex, oct, repr and bytes of the loop's variable alone, without a
    condition; generators only where a builtin or join uses them up at once. Refused where map is rebound, and list
    for lists.
    """
    program = ctx.program
    mapped = _mapped(program, node)
    if mapped is None or program.in_f_string(node) or ctx.is_replaced(node):
        return []
    call = program.scopes.parent[node]
    takes = EAGER if isinstance(node, ast.ListComp) else LAZY
    taken = program.calls_builtin(call, *takes) or (isinstance(node, ast.GeneratorExp) and _joins(program, call))
    if isinstance(call, ast.Call) and call.args == [node] and taken:
        return [program.replace(call, f"{program.source(call.func)}({mapped})")]
    unpacked = isinstance(call, ast.Assign) and isinstance(call.targets[0], ast.Tuple | ast.List)
    if isinstance(call, ast.Assign) and unpacked and mapped.startswith(UNPACKED):
        return [program.replace(node, mapped)] if isinstance(node, ast.ListComp) and len(call.targets) == 1 else []
    if isinstance(node, ast.ListComp) and not program.rebinds("list"):
        return [program.replace(node, f"list({mapped})")]
    return []


def _joins(program: AnalyzedProgram, call: ast.AST) -> bool:
    """Whether a call is the join of a text."""
    match call:
        case ast.Call(ast.Attribute(text, "join"), keywords=[]):
            return program.types.is_text(text)
    return False


def _mapped(program: AnalyzedProgram, node: ast.GeneratorExp | ast.ListComp) -> str | None:
    """`map(f, values)` for `f(x) for x in values`, when f, map and list are Python's own."""
    match node.elt, node.generators:
        case (
            ast.Call(ast.Name(function) as name, [ast.Name(argument)], []),
            [ast.comprehension(ast.Name(target), source, [], 0)],
        ) if argument == target and not spans_lines(node):
            own = program.scopes.is_builtin(name, *FUNCTIONS) and not program.rebinds("map")
            if own and not isinstance(source, ast.NamedExpr | ast.Starred):
                return f"map({function}, {program.source(source)})"
    return None
