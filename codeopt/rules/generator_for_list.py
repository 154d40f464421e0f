"""sum([f(x) for x in xs]) to sum(f(x) for x in xs): no list that is gone through once."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule

CALLED = ("abs", "bool", "chr", "divmod", "float", "int", "len", "max", "min", "ord", "range", "round", "str", "sum")
"""Builtins that never raise StopIteration, which a list comprehension passes on and a generator turns into a
RuntimeError."""

EXAMPLE = as_diff("""\
  sizes = [len(word) for word in "a few words".split()]
- print(sum([size * size for size in sizes]), max([-size for size in sizes]))
+ print(sum(size * size for size in sizes), max(-size for size in sizes))
""")


@rule(ast.Call, example=EXAMPLE, aim="memory")
def generator_for_list(node: ast.Call, ctx: Context) -> list[Edit]:
    """The list is made whole only to be gone through once: hand its elements over one by one.

    sum() of whole numbers, min() and max() of whole numbers or text, for certain, made with nothing but operators and
    builtins. any() and all() are left to ruff's C419.
    """
    program = ctx.program
    match node:
        case ast.Call(args=[ast.ListComp(element) as made], keywords=[]):
            if not _plain(program, made):
                return []
            if program.calls_builtin(node, "sum"):
                fits = program.types.is_int(element)
            else:
                known = program.types.is_int(element) or program.types.is_text(element)
                fits = known and program.calls_builtin(node, "min", "max")
            return [_opened(program, node, made)] if fits else []
    return []


def _opened(program: AnalyzedProgram, call: ast.Call, made: ast.ListComp) -> Edit:
    """The call without the brackets of the list; with round ones where more than the call's own bracket follows, such
    as a comma."""
    inside = program.source(made)[1:-1]
    return program.replace(made, inside.strip() if program.source(call).endswith("])") else f"({inside})")


def _plain(program: AnalyzedProgram, made: ast.ListComp) -> bool:
    """Whether the comprehension binds no name elsewhere, awaits nothing, has only Python's own operators, and calls
    nothing that could raise StopIteration."""
    if program.purity.redefines_operators or any(generator.is_async for generator in made.generators):
        return False
    first = made.generators[0].iter  # is evaluated before the first element either way
    if program.has(made, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda):
        return False
    calls = [part for part in program.walk(made) if isinstance(part, ast.Call)]
    return all(program.holds(first, call) or _known(program, call) for call in calls)


def _known(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Whether a call is one of a builtin on plain values, or of a method of text."""
    if isinstance(call.func, ast.Attribute):
        return program.types.is_text(call.func.value)
    values = (program.types.is_scalar(arg) or program.types.is_sized(arg) for arg in call.args)
    return program.calls_builtin(call, *CALLED) and not call.keywords and all(values)
