"""Methods, helpers and imports that a draft's function needs and the module has not, and where they go."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from codeopt.analysis.positions import bound_names, evaluated_names, import_index
from codeopt.workloads.source.definitions import code, flat
from codeopt.workloads.source.functions import SpliceError


def new_methods(
    old: cst.ClassDef | None, new: cst.ClassDef | None, replacement: cst.FunctionDef
) -> list[cst.FunctionDef]:
    """Methods of the draft's class that the original has not and the function uses."""
    if old is None or new is None:
        return []
    known = {node.name.value for node in old.body.body if isinstance(node, cst.FunctionDef)}
    fresh = {n.name.value: n for n in new.body.body if isinstance(n, cst.FunctionDef) and n.name.value not in known}
    return [fresh[name] for name in _used(code(replacement), {name: code(node) for name, node in fresh.items()})]


def additions(
    module: cst.Module, new: cst.Module, anchor: str, roots: Sequence[cst.CSTNode]
) -> tuple[list[Any], list[Any]]:
    """Imports and top-level definitions of the draft that are new and used by what is put back."""
    tree = ast.parse(module.code)
    known = bound_names(tree)
    at_hand = known - _bound_too_late(tree, anchor, roots)
    imports: dict[str, cst.BaseStatement] = {}
    helpers: dict[str, cst.BaseStatement] = {}
    for node in new.body:
        names = bound_names(ast.parse(code(node)))
        if is_import(node):
            imports |= {name: statement for name, statement in _imports(node) if name not in at_hand}
        elif names and not names & known and anchor not in names and _is_definition(node):
            helpers |= dict.fromkeys(names, node)
    candidates = {name: code(node) for name, node in {**imports, **helpers}.items()}
    used = _used("\n".join(code(root) for root in roots), candidates)
    wanted_imports = _once([imports[name] for name in imports if name in used])
    order = list(new.body)
    wanted = _once([helpers[name] for name in helpers if name in used])
    return wanted_imports, sorted(wanted, key=order.index)


def _bound_too_late(tree: ast.Module, anchor: str, roots: Iterable[cst.CSTNode]) -> set[str]:
    """Names that the module binds below the function alone, though that needs them as soon as it is defined."""
    needed = {name for root in roots for name in evaluated_names(ast.parse(textwrap.dedent(code(root)).strip()))}
    for node in tree.body:
        if anchor in (bound := bound_names(node)):
            return needed
        needed -= bound
    return set()


def _once(nodes: Iterable[Any]) -> list[Any]:
    found: dict[int | str, Any] = {}
    for node in nodes:
        found.setdefault(code(node), node)
    return list(found.values())


def is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Import | cst.ImportFrom)


def _is_definition(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        return True
    return isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Assign | cst.AnnAssign)


def _imports(node: cst.CSTNode) -> Iterable[tuple[str, cst.BaseStatement]]:
    """(bound name, a statement that imports it alone) of an import statement."""
    tree = ast.parse(code(node).strip()).body
    for statement in tree:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            continue
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        for alias in statement.names:
            if alias.name == "*":
                raise SpliceError("it imports *: name what is needed")
            one: ast.stmt = ast.Import([alias])
            if isinstance(statement, ast.ImportFrom):
                one = ast.ImportFrom(statement.module, [alias], statement.level)
            yield (alias.asname or alias.name).partition(".")[0], cst.parse_statement(ast.unparse(one))


def _used(text: str, candidates: dict[str, str]) -> list[str]:
    """The part of `candidates` that a text uses, and what those use, in the order of `candidates`."""
    found: set[str] = set()
    todo = [text]
    while todo:
        names = _mentioned(todo.pop())
        fresh = [name for name in candidates if name in names and name not in found]
        found.update(fresh)
        todo += [candidates[name] for name in fresh]
    return [name for name in candidates if name in found]


def _mentioned(text: str) -> set[str]:
    tree = ast.parse(textwrap.dedent(text))
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)
    }


def insert(module: cst.Module, imports: Sequence[Any], helpers: Sequence[Any], anchor: str) -> cst.Module:
    """Imports below the last import at the top, helpers above the statement that holds the function."""
    body = list(module.body)
    if helpers:
        at = next(
            at
            for at, node in enumerate(body)
            if anchor in {n.name.value for n in flat([node]) if isinstance(n, cst.FunctionDef | cst.ClassDef)}
        )
        first = at == 0 and not module.header
        spaced = [_spaced(node, first and number == 0) for number, node in enumerate(helpers)]
        if at == 0:  # the module's header is kept above; the function needs its own blank lines now
            body[0] = _spaced(body[0], False)
        body[at:at] = spaced
    if imports:
        at = _import_place(module.with_changes(body=body), imports)
        body[at:at] = imports
        below = at + len(imports)
        if 0 < below < len(body) and at == _after_docstring(body) > 0:
            body[below] = _spaced(body[below], False)
    return module.with_changes(body=body)


def _spaced(node: Any, first: bool) -> Any:
    """Set the blank lines above a statement that are usual for its kind."""
    lines = [line for line in node.leading_lines if line.comment is not None]
    blank = 0 if first else 2 if isinstance(node, cst.FunctionDef | cst.ClassDef) else 1
    return node.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * blank, *lines])


def _after_docstring(body: Sequence[Any]) -> int:
    first = body[0] if body else None
    documented = isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr)
    return int(documented)


def _import_place(module: cst.Module, imports: Sequence[cst.CSTNode]) -> int:
    """The index in the module's body at which new imports go: a line of several statements is one of it."""
    names = set().union(*(bound_names(ast.parse(code(node))) for node in imports))
    wanted, above = import_index(ast.parse(module.code).body, names), 0
    for at, node in enumerate(module.body):
        if above >= wanted:
            return at
        above += len(node.body) if isinstance(node, cst.SimpleStatementLine) else 1
    return len(module.body)
