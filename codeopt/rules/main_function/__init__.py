"""Module-level code into main(), so that the names it uses are fast locals instead of globals."""

from __future__ import annotations

import ast
import builtins

from codeopt.rules import (
    QUIET_MODULES,
    AnalyzedProgram,
    Context,
    Edit,
    Edits,
    Variable,
    as_diff,
    bound_name,
    is_bare_constant,
    names_in,
    rule,
    sets_constant,
    together,
)
from codeopt.rules.main_function.names import class_may_move, renamed, tells_names
from codeopt.rules.main_function.text import assemble, guarded
from codeopt.rules.main_function.units import Split, Unit, bound, local_names, module_names, units

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Import = ast.Import | ast.ImportFrom

CACHES = frozenset({"lru_cache", "cache", "functools"})
"""Decorators that work in the same way on a function of a module and on one inside another function."""

NEED_MODULE_LEVEL = frozenset(
    {"multiprocessing", "pickle", "concurrent", "joblib", "numba", "dill", "cloudpickle", "timeit", "doctest"}
    | {"unittest", "__all__"}
)
"""Libraries that find functions by their module's names, or compile them together with the globals they see."""

EXAMPLE = as_diff("""\
  import sys

- n = int(input())
- total = 0
- for i in range(n):
-     total += i * i  # squares
- print(total)
+
+ def main():
+     n = int(input())
+     total = 0
+     for i in range(n):
+         total += i * i  # squares
+     print(total)
+
+
+ main()
""")


@rule(ast.Module, priority=10, scripts_only=True, example=EXAMPLE)
def main_function(_: ast.Module, ctx: Context) -> Edits:
    """Python finds a function's own variables much faster than global ones: put module-level loops into main().

    Needs a loop at module level. Functions and plain classes that use none of the moved names stay outside, the
    others move in; a builtin that is bound once from itself (`sum = sum(a)`) gets another name. Refused with
    globals(), exec, eval of anything but a read line, other classes that use moved names, and other builtin or
    imported names that the program reads before it binds them. Other files can no longer import the moved names.
    """
    program = ctx.program
    split = _split(program) if not NEED_MODULE_LEVEL.intersection(program.words) else None
    loops = program.nodes(ast.For, ast.While)
    if split is None or not any(ctx.is_hot(loop) and program.scopes.scope[loop] is program.tree for loop in loops):
        return
    declarations, renames = _declarations(program, split), _renames(program, split)
    if declarations is None or renames is None:
        return
    name = program.fresh("main", "run", "main_program")
    text_of_guard = None if renames else guarded(program, split, name)
    new = text_of_guard or assemble(program, split, [*declarations, *renames], name)
    if new is not None:
        yield Edit(0, len(program.text), new)


def _split(program: AnalyzedProgram) -> Split | None:
    everything = list(units(program))
    kept = _kept(program, everything)
    moved = tuple(unit for unit in everything if unit not in kept)
    bodies = [s for unit in moved for s in unit.statements]
    inside = [node for s in bodies for node in program.walk(s) if program.scopes.scope.get(node) is program.tree]
    stuck = any(isinstance(s, ast.ClassDef) and not (_plain(s) and class_may_move(program, s)) for s in inside)
    if any(isinstance(s, ast.FunctionDef) for s in inside) and tells_names(program):
        return None
    if not moved or stuck or any(names_in(getattr(s, "decorator_list", [])) - CACHES for s in bodies):
        return None
    return Split(tuple(kept), moved)


def _kept(program: AnalyzedProgram, everything: list[Unit]) -> list[Unit]:
    """Leading imports, and definitions that need none of the names that move; less until nothing changes."""
    kept: list[Unit] = []
    leading, first = True, program.tree.body[:1]
    for unit in everything:
        heads = (isinstance(s, Import | Definition) or ([s] == first and is_bare_constant(s)) for s in unit.statements)
        leading = leading and all(heads)
        if leading or all(_can_be_hoisted(program, s) for s in unit.statements):
            kept.append(unit)
    while True:
        moving = {name for unit in everything if unit not in kept for name in bound(program, unit)}
        only_import = [u for u in kept if all(isinstance(s, Import) for s in u.statements)]
        stay = [u for u in kept if u in only_import or not (moving & module_names(program, u))]
        if len(stay) == len(kept):
            return kept
        kept = stay


def _can_be_hoisted(program: AnalyzedProgram, statement: ast.stmt) -> bool:
    """Whether a statement is an import or a definition that only binds its name: it may be moved above code that ran
    before it."""
    names = _binds(statement)
    again = (name for name in names if len(program.scopes.stores(Variable(program.tree, name))) > 1)
    if any(again) or any(hasattr(builtins, name) for name in names):
        return False
    if isinstance(statement, Import):
        modules = [a.name for a in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
        return QUIET_MODULES.issuperset(modules) and "*" not in names
    if isinstance(statement, ast.ClassDef):
        return _plain(statement)
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and _can_be_made_anywhere(statement)


def _plain(statement: ast.ClassDef) -> bool:
    """Whether a statement is a class of constants and functions, without bases: making it runs no code of the
    program."""
    for part in statement.body:
        method = isinstance(part, ast.FunctionDef) and _can_be_made_anywhere(part)
        if not method and not isinstance(part, ast.Pass) and not is_bare_constant(part) and not sets_constant(part):
            return False
    return not statement.bases and not statement.keywords and not statement.decorator_list


def _binds(statement: ast.stmt) -> list[str]:
    if isinstance(statement, Import):
        return list(map(bound_name, statement.names))
    return [statement.name] if isinstance(statement, Definition) else []


def _can_be_made_anywhere(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    defaults = [*function.args.defaults, *(d for d in function.args.kw_defaults if d)]
    annotated = any(isinstance(a, ast.arg) and a.annotation for a in ast.walk(function.args)) or function.returns
    return not function.decorator_list and not annotated and all(isinstance(d, ast.Constant) for d in defaults)


def _declarations(program: AnalyzedProgram, split: Split) -> list[Edit] | None:
    """Edits that turn `global x` of moved functions into `nonlocal x`; None when one cannot be translated."""
    local = {name for unit in split.moved for name in local_names(program, unit)}
    edits = []
    for node in program.of_kind(ast.Global):
        if not any(program.holds(statement, node) for statement in split.body):
            continue
        scope = program.scopes.scope[node]
        around = [s for s in program.scopes.parents(scope) if s in program.scopes.bound and s is not program.tree]
        hidden = any(name in program.scopes.bound[s] for s in around for name in node.names)
        if scope is program.tree or hidden or any(isinstance(s, ast.ClassDef) for s in [scope, *around]):
            return None
        if local.issuperset(node.names):
            start = program.span(node)[0]
            edits.append(Edit(start, start + len("global"), "nonlocal"))
        elif local.intersection(node.names):
            return None
    return edits


def _renames(program: AnalyzedProgram, split: Split) -> list[Edit] | None:
    """Edits that give a rebound builtin (`sum = sum(a)`) another name; None when a name would mean something else.

    In a function a name is local from the start: nothing may read it before the moved code binds it.
    """
    local = {name for unit in split.moved for name in local_names(program, unit)}
    kept = {name for unit in split.kept for name in bound(program, unit)}
    early = {name for name in local if hasattr(builtins, name) or name in kept or program.scopes.star_hides(name)}
    for node in (n for statement in split.body for n in program.walk(statement)):
        star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        if star or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) and node.id in early):
            return None
    always = program.liveness.assigned_before_use
    late = [name for name in sorted(early) if not always(Variable(program.tree, name), split.body)]
    if any(name in kept or program.scopes.star_hides(name) for name in late):
        return None
    return together(renamed(program, split, name) for name in late)
