"""Imports of slow modules that nothing uses."""

from __future__ import annotations

import ast

from codeopt.rules import QUIET_MODULES, AnalyzedProgram, Context, Edit, Edits, Variable, as_diff, bound_name, rule

QUIET = frozenset(
    """
    array asyncio bisect calendar cmath collections copy dataclasses datetime decimal enum fractions functools heapq io
    itertools json math matplotlib multiprocessing networkx numba numpy operator pandas pickle pprint queue random re
    scipy sklearn socket statistics string struct subprocess sympy tempfile textwrap threading time timeit tkinter
    traceback typing unittest urllib uuid
    """.split()  # noqa: SIM905 - forty names in a column help nobody
)
"""Modules whose import changes nothing that a program can see but the time: numpy 117 ms, fractions 8."""

EXAMPLE = as_diff("""\
- import random
- from fractions import Fraction
- from math import gcd, sqrt  # gcd only
+ from math import gcd  # gcd only

  print(gcd(12, 18))
""")


@rule(ast.Module, priority=60, example=EXAMPLE)
def unused_import(_: ast.Module, ctx: Context) -> Edits:
    """Importing a module takes time even when nothing uses it: remove the import.

    Only top-level imports of modules known to do nothing else when they are imported, whose name occurs nowhere in
    the program. Refused with __all__ and star imports of other than well-known standard modules.
    """
    program = ctx.program
    if not QUIET_MODULES.issuperset(program.scopes.stars) or "__all__" in program.words:
        return
    for statement in program.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom) and ctx.is_hot(statement):
            unused = [alias for alias in statement.names if _is_unused(program, statement, alias)]
            if len(unused) < len(statement.names):
                yield from (_without_name(program, statement.names, alias, unused) for alias in unused)
            elif program.alone(statement):
                yield _without_statement(program, statement)
            else:
                yield _without_part(program, statement)


def _is_unused(program: AnalyzedProgram, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    home = alias.name if isinstance(statement, ast.Import) else statement.module or ""
    if home.partition(".")[0] not in QUIET or (isinstance(statement, ast.ImportFrom) and statement.level):
        return False
    return len(program.scopes.all_uses(Variable(program.tree, bound_name(alias)))) == 1


def _without_statement(program: AnalyzedProgram, statement: ast.stmt) -> Edit:
    """The edit that takes away the lines of a statement, and blank lines above it."""
    edit = program.without_lines(statement)
    above = program.text[: edit.start].rstrip()
    return Edit(program.text.find("\n", len(above)) + 1, edit.end, "") if above else edit


def _without_part(program: AnalyzedProgram, statement: ast.stmt) -> Edit:
    """The edit that takes a statement out of the line that it shares."""
    block = program.tree.body
    place = block.index(statement)
    if place + 1 < len(block) and block[place + 1].lineno == statement.end_lineno:
        return Edit(program.span(statement)[0], program.span(block[place + 1])[0], "")
    return Edit(program.span(block[place - 1])[1], program.span(statement)[1], "")


def _without_name(program: AnalyzedProgram, names: list[ast.alias], alias: ast.alias, unused: list[ast.alias]) -> Edit:
    """The edit that takes a name out of an import, with its line, the comma before it, or (of the first) the next."""
    start, end = program.span(alias)
    above, line = program.lines[alias.lineno - 2 : alias.lineno] if alias.lineno > 1 else ("", program.lines[0])
    goes_on = above.rstrip().endswith("\\")
    if not goes_on and line.partition("#")[0].strip(" \t\r\n,") == program.source(alias):
        return Edit(program.offset(alias.lineno, 0), program.next_line(alias), "")
    place = names.index(alias)
    if all(before in unused for before in names[:place]):
        return Edit(start, program.span(names[place + 1])[0], "")
    return Edit(program.span(names[place - 1])[1], end, "")
