"""Imports of slow modules that nothing uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.rules import STARRED, Context, Edit, Example, Program, Variable, rule

QUIET = frozenset(
    """
    array asyncio bisect calendar cmath collections copy dataclasses datetime decimal enum fractions functools heapq io
    itertools json math matplotlib multiprocessing networkx numba numpy operator pandas pickle pprint queue random re
    scipy sklearn socket statistics string struct subprocess sympy tempfile textwrap threading time timeit tkinter
    traceback typing unittest urllib uuid
    """.split()  # noqa: SIM905 - forty names in a column help nobody
)
"""Modules whose import changes nothing that a program can see but the time: numpy 117 ms, fractions 8."""


EXAMPLE = Example(
    before="""\
import random
from fractions import Fraction
from math import gcd, sqrt  # gcd only

print(gcd(12, 18))
""",
    after="""\
from math import gcd  # gcd only

print(gcd(12, 18))
""",
)


@rule(ast.Module, priority=60, example=EXAMPLE)
def unused_import(_: ast.Module, ctx: Context) -> Iterator[Edit]:
    """Importing a module takes time even when nothing uses it (numpy: 0.1 s): remove the import.

    Only top-level imports of modules known to do nothing else when they are imported, whose name occurs nowhere in
    the program. Refused with __all__ and star imports of other than well-known standard modules.
    """
    program = ctx.program
    if not STARRED.issuperset(program.scopes.stars) or "__all__" in program.words:
        return
    found = [
        (statement, alias)
        for statement in program.tree.body
        if isinstance(statement, ast.Import | ast.ImportFrom) and ctx.is_hot(statement)
        for alias in statement.names
        if _is_unused(program, statement, alias)
    ]
    if found:
        yield Edit(0, len(program.text), _without(program.text, found))


def _is_unused(program: Program, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    home = alias.name if isinstance(statement, ast.Import) else statement.module or ""
    if home.partition(".")[0] not in QUIET or (isinstance(statement, ast.ImportFrom) and statement.level):
        return False
    name = alias.asname or alias.name.partition(".")[0]
    return len(program.scopes.all_uses(Variable(program.tree, name))) == 1


def _without(text: str, found: list[tuple[ast.Import | ast.ImportFrom, ast.alias]]) -> str:
    """What libcst leaves of the program: it keeps the comments and the other names of the same line."""
    import libcst  # 0.3 s, so only when there is something to remove
    from libcst.codemod import CodemodContext
    from libcst.codemod.visitors import RemoveImportsVisitor

    context = CodemodContext()
    for statement, alias in found:
        if isinstance(statement, ast.Import):
            RemoveImportsVisitor.remove_unused_import(context, alias.name, None, alias.asname)
        else:
            RemoveImportsVisitor.remove_unused_import(context, statement.module or "", alias.name, alias.asname)
    return RemoveImportsVisitor(context).transform_module(libcst.parse_module(text)).code
