"""`"".join(f(x) for x in xs)` to a list in brackets: join, tuple and sorted make one anyway."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule

STEPPING = frozenset({"next", "__next__", "send", "throw", "StopIteration"})
"""Words of code that may end an iteration: a generator turns StopIteration into a RuntimeError."""

EXAMPLE = as_diff("""\
  words = "a few words".split()
- print(", ".join(word.title() for word in words), tuple(len(word) for word in words))
+ print(", ".join([word.title() for word in words]), tuple([len(word) for word in words]))
""")


@rule(ast.Call, example=EXAMPLE, safety="unsafe")
def list_for_join(node: ast.Call, ctx: Context) -> list[Edit]:
    """join(), tuple() and sorted() make a list of a generator one element at a time: a comprehension is faster.

    Also sum(), min() and max() of whole-number constants, and of what is certainly a number. A generator that awaits,
    or steps through an iterator by next(), stays.
    """
    program = ctx.program
    match node:
        case ast.Call(func, [ast.GeneratorExp() as made]):
            if _fits(program, func, node, made) and _plain(program, made):
                return [_closed(program, node, made)]
    return []


def _fits(program: AnalyzedProgram, func: ast.expr, call: ast.Call, made: ast.GeneratorExp) -> bool:
    """Whether the call makes a list of what it is given, or adds up numbers."""
    match func:
        case ast.Attribute(ast.Constant(str() | bytes()), "join"):
            return True
        case ast.Name("tuple" | "sorted"):
            return program.scopes.is_builtin(func)
        case ast.Name("sum" | "min" | "max") if program.scopes.is_builtin(func) and not call.keywords:
            counted = isinstance(made.elt, ast.Constant) and isinstance(made.elt.value, int)
            return counted or program.types.is_number(made.elt)
    return False


def _plain(program: AnalyzedProgram, made: ast.GeneratorExp) -> bool:
    """Whether nothing in the generator awaits, or may end it from inside."""
    if any(each.is_async for each in made.generators) or program.has(made, ast.Await, ast.NamedExpr):
        return False
    words = {part.id for part in program.names(made)}
    words |= {part.attr for part in program.walk(made) if isinstance(part, ast.Attribute)}
    return not words & STEPPING


def _closed(program: AnalyzedProgram, call: ast.Call, made: ast.GeneratorExp) -> Edit:
    """The generator in square brackets: in the place of its own round ones, or inside those of the call."""
    bare = program.source(made)[1:-1]
    own = program.span(made)[1] < program.span(call)[1]
    return program.replace(made, f"[{bare}]" if own else f"([{bare}])")
