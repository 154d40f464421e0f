"""Imports of slow modules that nothing uses."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._module import Module, compiles, parse
from codeopt.rules._scopes import STARRED, Variable

QUIET = frozenset(
    """
    array asyncio bisect calendar cmath collections copy dataclasses datetime decimal enum fractions functools heapq io
    itertools json math matplotlib multiprocessing networkx numba numpy operator pandas pickle pprint queue random re
    scipy sklearn socket statistics string struct subprocess sympy tempfile textwrap threading time timeit tkinter
    traceback typing unittest urllib uuid
    """.split()  # noqa: SIM905 - forty names in a column help nobody
)
"""Modules whose import changes nothing that a program can see but the time: numpy 117 ms, fractions 8."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Remove the top-level imports of quiet modules whose names occur nowhere."""
    module = parse(text)
    if module is None or not STARRED.issuperset(module.scopes.stars) or "__all__" in module.words:
        return None
    found = [
        (statement, alias)
        for statement in module.tree.body
        if isinstance(statement, ast.Import | ast.ImportFrom) and hot.touches(statement.lineno, statement.lineno)
        for alias in statement.names
        if _is_unused(module, statement, alias)
    ]
    new = _without(module.text, found) if found else None
    return new if new and new != text and compiles(new) else None


def _is_unused(module: Module, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    home = alias.name if isinstance(statement, ast.Import) else statement.module or ""
    if home.partition(".")[0] not in QUIET or (isinstance(statement, ast.ImportFrom) and statement.level):
        return False
    name = alias.asname or alias.name.partition(".")[0]
    return len(module.scopes.all_uses(Variable(module.tree, name))) == 1


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


RULE = Rule(
    name="unused_import",
    reason="Importing a module takes time even when nothing uses it (numpy: 0.1 s): remove the import.",
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
    limits=(
        "Only top-level imports of modules known to do nothing else when they are imported, whose name occurs nowhere "
        "in the program. Refused with __all__ and star imports of other than well-known standard modules."
    ),
    rewrite=rewrite,
)
