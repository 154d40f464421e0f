"""sum([f(x) for x in xs]) to sum(f(x) for x in xs): no list that is gone through once."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule

CALLED = ("abs", "bool", "chr", "divmod", "float", "int", "len", "max", "min", "ord", "range", "round", "str", "sum")
"""Builtins that never raise StopIteration, which would leave a list's making as it is, and a generator as another
exception."""

EXAMPLE = as_diff("""\
  sizes = [len(word) for word in "a few words".split()]
- print(sum([size * size for size in sizes]), any([size > 3 for size in sizes]))
+ print(sum(size * size for size in sizes), any(size > 3 for size in sizes))
""")


@rule(ast.Call, example=EXAMPLE, aim="memory")
def generator_for_list(node: ast.Call, ctx: Context) -> list[Edit]:
    """The list is made whole only to be gone through once: hand its elements over one by one.

    sum() of whole numbers, min() and max() of whole numbers or text, for certain, made with nothing but operators and
    builtins. any() and all() only where no element can fail or do anything: the rest of them is no longer made.
    """
    program = ctx.program
    match node:
        case ast.Call(args=[ast.ListComp(element) as made], keywords=[]):
            if not _plain(program, made):
                return []
            if program.calls_builtin(node, "sum"):
                fits = program.types.is_int(element)
            elif program.calls_builtin(node, "min", "max"):
                fits = program.types.is_int(element) or program.types.is_text(element)
            else:
                fits = program.calls_builtin(node, "any", "all") and _may_stop(program, made)
            return [_opened(program, node, made)] if fits else []
    return []


def _opened(program: AnalyzedProgram, call: ast.Call, made: ast.ListComp) -> Edit:
    """Without its brackets; where more than the call's own bracket follows, a comma perhaps, with round ones."""
    inside = program.source(made)[1:-1]
    return program.replace(made, inside.strip() if program.source(call).endswith("])") else f"({inside})")


def _plain(program: AnalyzedProgram, made: ast.ListComp) -> bool:
    """Nothing in it binds a name elsewhere, waits, or calls what could raise StopIteration; operators are Python's."""
    if program.purity.redefines_operators or any(each.is_async for each in made.generators):
        return False
    first = made.generators[0].iter  # is evaluated before the first element either way
    if program.has(made, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda):
        return False
    calls = [part for part in program.walk(made) if isinstance(part, ast.Call)]
    return all(program.holds(first, call) or _known(program, call) for call in calls)


def _known(program: AnalyzedProgram, call: ast.Call) -> bool:
    """A builtin on values that are no objects of a class, or a method of text."""
    if isinstance(call.func, ast.Attribute):
        return program.types.is_text(call.func.value)
    values = (program.types.is_scalar(each) or program.types.is_sized(each) for each in call.args)
    return program.calls_builtin(call, *CALLED) and not call.keywords and all(values)


def _may_stop(program: AnalyzedProgram, made: ast.ListComp) -> bool:
    """One loop over something that stays as it is when it is not gone through to its end, and elements that cannot
    fail."""
    if len(made.generators) != 1:
        return False
    (loop,) = made.generators
    whole = program.types.is_sized(loop.iter) or program.calls_builtin(loop.iter, "range")
    parts = (made.elt, *loop.ifs)
    return isinstance(loop.target, ast.Name) and whole and all(program.loops.cannot_fail(part, loop) for part in parts)
