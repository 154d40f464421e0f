"""Module-level code into main(), so that the names it uses are fast locals instead of globals."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from codeopt.rules import Hot, Rule
from codeopt.rules._flow import assigned_before_use
from codeopt.rules._main_names import class_may_move, renamed, tells_names
from codeopt.rules._main_text import assemble, guarded
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._scopes import Variable
from codeopt.rules._units import Split, Unit, bound, local_names, module_names, units

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Import = ast.Import | ast.ImportFrom

CACHES = frozenset({"lru_cache", "cache", "functools"})
"""Decorators that do not care whether a function stands in a module or in another function."""

NEED_MODULE_LEVEL = frozenset(
    [
        "multiprocessing",
        "pickle",
        "concurrent",
        "joblib",
        "numba",
        "dill",
        "cloudpickle",
        "timeit",
        "doctest",
        "unittest",
        "__all__",
    ]
)
"""Libraries that find functions by their module's names, or compile them together with the globals they see."""

QUIET = frozenset(
    [
        "bisect",
        "collections",
        "copy",
        "fractions",
        "functools",
        "heapq",
        "itertools",
        "math",
        "operator",
        "random",
        "re",
        "string",
        "sys",
        "time",
    ]
)
"""Imports that do nothing else: they may stand above code that ran before them."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Wrap what is not an import or a self-contained definition; None when there is no hot module-level loop."""
    module = parse(text)
    if module is None or NEED_MODULE_LEVEL.intersection(module.words):
        return None
    split = _split(module)
    if split is None or not any(hot.touches(*lines) for lines in _loops(split.body)):
        return None
    declarations = _declarations(module, split)
    renames = _renames(module, split)
    if declarations is None or renames is None:
        return None
    name = module.fresh("main", "run", "main_program")
    text_of_guard = None if renames else guarded(module, split, name)
    return text_of_guard or assemble(module, split, [*declarations, *renames], name)


def _split(module: Module) -> Split | None:
    everything = list(units(module))
    kept = _kept(module, everything)
    moved = tuple(unit for unit in everything if unit not in kept)
    bodies = [s for unit in moved for s in unit.statements]
    inside = [node for s in bodies for node in module.walk(s) if module.scopes.scope.get(node) is module.tree]
    stuck = any(isinstance(s, ast.ClassDef) and not (_plain(s) and class_may_move(module, s)) for s in inside)
    if any(isinstance(s, ast.FunctionDef) for s in inside) and tells_names(module):
        return None
    if not moved or stuck or any(_decorated(s) for s in bodies):
        return None
    return Split(tuple(kept), moved)


def _kept(module: Module, everything: list[Unit]) -> list[Unit]:
    """Leading imports, and definitions that need none of the names that move; less until nothing changes."""
    kept: list[Unit] = []
    leading = True
    for unit in everything:
        leading = leading and all(isinstance(s, Import | Definition) or _docstring(module, s) for s in unit.statements)
        if leading or all(_can_be_hoisted(module, s) for s in unit.statements):
            kept.append(unit)
    while True:
        moving = {name for unit in everything if unit not in kept for name in bound(module, unit)}
        stay = [u for u in kept if _imports_only(u) or not (moving & module_names(module, u))]
        if len(stay) == len(kept):
            return kept
        kept = stay


def _imports_only(unit: Unit) -> bool:
    return all(isinstance(s, Import) for s in unit.statements)


def _docstring(module: Module, statement: ast.stmt) -> bool:
    return (
        statement is module.tree.body[0]
        and isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
    )


def _can_be_hoisted(module: Module, statement: ast.stmt) -> bool:
    """An import or a definition that does nothing but bind its name: it may stand above code that ran before it."""
    if any(
        hasattr(builtins, name) or len(module.scopes.stores(Variable(module.tree, name))) > 1
        for name in _binds(statement)
    ):
        return False
    if isinstance(statement, Import):
        modules = [a.name for a in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
        return QUIET.issuperset(modules) and "*" not in _binds(statement)
    if not isinstance(statement, Definition):
        return False
    if isinstance(statement, ast.ClassDef):
        return _plain(statement)
    return _can_be_made_anywhere(statement)


def _plain(statement: ast.ClassDef) -> bool:
    """A class of constants and functions, without bases: making it runs no code of the program."""
    plain = all(isinstance(s, ast.FunctionDef) and _can_be_made_anywhere(s) or _constant(s) for s in statement.body)
    return plain and not statement.bases and not statement.keywords and not statement.decorator_list


def _binds(statement: ast.stmt) -> list[str]:
    if isinstance(statement, Import):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    return [statement.name] if isinstance(statement, Definition) else []


def _can_be_made_anywhere(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    defaults = [*function.args.defaults, *(d for d in function.args.kw_defaults if d)]
    annotated = any(isinstance(a, ast.arg) and a.annotation for a in ast.walk(function.args)) or function.returns
    return not function.decorator_list and not annotated and all(isinstance(d, ast.Constant) for d in defaults)


def _constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr | ast.Assign) and isinstance(statement.value, ast.Constant)
    )


def _decorated(statement: ast.stmt) -> bool:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    names = {n.id for d in decorators for n in ast.walk(d) if isinstance(n, ast.Name)}
    return bool(names - CACHES)


def _loops(body: list[ast.stmt]) -> Iterator[tuple[int, int]]:
    """First and last lines of the loops that run at module level."""
    for statement in body:
        if isinstance(statement, ast.For | ast.While):
            yield statement.lineno, last_line(statement)
        elif not isinstance(statement, Definition):
            for name in ("body", "orelse", "finalbody", "handlers"):
                yield from _loops(getattr(statement, name, []))


def _declarations(module: Module, split: Split) -> list[Edit] | None:
    """Edits that turn `global x` of moved functions into `nonlocal x`; None when one cannot be translated."""
    local = {name for unit in split.moved for name in local_names(module, unit)}
    edits = []
    for node in (n for statement in split.body for n in module.walk(statement)):
        if isinstance(node, ast.Nonlocal) or not isinstance(node, ast.Global):
            continue
        scope = module.scopes.scope[node]
        around = [s for s in module.scopes.parents(scope) if s in module.scopes.bound and s is not module.tree]
        hidden = any(name in module.scopes.bound[s] for s in around for name in node.names)
        if scope is module.tree or hidden or any(isinstance(s, ast.ClassDef) for s in [scope, *around]):
            return None
        if local.issuperset(node.names):
            start = module.span(node)[0]
            edits.append(Edit(start, start + len("global"), "nonlocal"))
        elif local.intersection(node.names):
            return None
    return edits


def _renames(module: Module, split: Split) -> list[Edit] | None:
    """Edits that give a rebound builtin (`sum = sum(a)`) another name; None when a name would mean something else.

    In a function a name is local from the start: nothing may read it before the moved code binds it.
    """
    local = {name for unit in split.moved for name in local_names(module, unit)}
    kept = {name for unit in split.kept for name in bound(module, unit)}
    early = {name for name in local if hasattr(builtins, name) or name in kept or module.scopes.star_hides(name)}
    for node in (n for statement in split.body for n in module.walk(statement)):
        star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        if star or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) and node.id in early):
            return None
    edits: list[Edit] = []
    for name in sorted(early):
        if assigned_before_use(module.scopes, module.tree, split.body, {name}):
            continue
        found = renamed(module, split, name) if name not in kept and not module.scopes.star_hides(name) else None
        if found is None:
            return None
        edits += found
    return edits


RULE = Rule(
    name="main_function",
    reason="Python finds a function's own variables much faster than global ones: put module-level loops into main().",
    before="""\
import sys

n = int(input())
total = 0
for i in range(n):
    total += i * i  # squares
print(total)
""",
    after="""\
import sys


def main():
    n = int(input())
    total = 0
    for i in range(n):
        total += i * i  # squares
    print(total)


main()
""",
    limits=(
        "Needs a loop at module level. Functions and plain classes that use none of the moved names stay outside, the "
        "others move in; a builtin that is bound once from itself (`sum = sum(a)`) gets another name. Refused with "
        "globals(), exec, eval of anything but a read line, other classes that use moved names, and other builtin or "
        "imported names that the program reads before it binds them. Other files can no longer import the moved names."
    ),
    rewrite=rewrite,
    scripts_only=True,
)
