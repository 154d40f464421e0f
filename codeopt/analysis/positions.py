"""Positions in a module: its functions and classes, and where a new import goes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from codeopt.analysis.nodes import bound_name, is_bare_constant

Def = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Def | ast.ClassDef
_BESIDE = frozenset({"overload", "setter", "deleter"})
_LATER: Mapping[type[ast.AST], frozenset[str]] = {
    ast.FunctionDef: frozenset({"body", "returns"}),
    ast.AsyncFunctionDef: frozenset({"body", "returns"}),
    ast.Lambda: frozenset({"body"}),
    ast.AnnAssign: frozenset({"annotation"}),
    ast.arg: frozenset({"annotation"}),
}
"""Kind of node -> the fields that are not evaluated at its place."""


def definitions(body: Iterable[ast.stmt], prefix: str = "", *, inner: bool = False) -> Iterator[tuple[str, Definition]]:
    """Functions and classes with their qualified names, in order; a block such as `if` or `try` is looked into.

    inner: those that are defined inside of a function also.
    """
    for node in body:
        if isinstance(node, Definition):
            yield prefix + node.name, node
            if inner or isinstance(node, ast.ClassDef):
                yield from definitions(node.body, f"{prefix}{node.name}.", inner=inner)
        else:
            for block in _blocks(node):
                yield from definitions(block, prefix, inner=inner)


def functions(body: Iterable[ast.stmt], *, inner: bool = False) -> Iterator[tuple[str, Def]]:
    """The functions among the definitions."""
    for name, node in definitions(body, inner=inner):
        if isinstance(node, Def):
            yield name, node


def functions_by_name(body: Iterable[ast.stmt]) -> dict[str, Def]:
    """Functions by their qualified names, the last of several; a property by its getter."""
    defs: dict[str, Def] = {}
    for name, node in functions(body):
        if name not in defs or not _kind_beside(node):
            defs[name] = node
    return defs


def find_definition(body: Iterable[ast.stmt], qualname: str, like: Definition | None = None) -> Definition | None:
    """The last definition of that name; the getter of a property, and no @overload, if there is another.

    like: a definition of the same name; if that is a setter, a deleter or an @overload, the last one of its kind.
    """
    found = [node for name, node in definitions(body) if name == qualname]
    kind = _kind_beside(like) if like else ""
    same = [node for node in found if _kind_beside(node) == kind]
    return next(reversed(same if same or kind else found), None)


def import_index(body: Sequence[ast.stmt], names: Collection[str] | None = None) -> int:
    """Index in `body` at which a new import goes: behind the docstring and the last import above what may need it.

    names: what the import binds; any definition, and any statement that mentions one of them, may need it. None: any
    statement may.
    """
    at = int(bool(body) and is_bare_constant(body[0]))
    for index in range(at, len(body)):
        if isinstance(body[index], ast.Import | ast.ImportFrom):
            at = index + 1
        elif names is None or _may_use(body[index], names):
            break
    return at


def bound_names(node: ast.AST) -> set[str]:
    """Names that a statement binds at its place, those of the blocks inside of it included."""
    if isinstance(node, Definition):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {bound_name(alias) for alias in node.names}
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Store) else set()
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return set()
    return {name for child in ast.iter_child_nodes(node) for name in bound_names(child)}


def evaluated_names(node: ast.AST) -> set[str]:
    """Names that a statement looks up as soon as it runs: decorators and defaults of a function, and not its body;
    annotations are left out, which need not be evaluated."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    later = _LATER.get(type(node), frozenset())
    parts = (part for field, part in ast.iter_fields(node) if field not in later)
    children = (each for part in parts for each in (part if isinstance(part, list) else [part]))
    return {name for child in children if isinstance(child, ast.AST) for name in evaluated_names(child)}


def _may_use(statement: ast.stmt, names: Collection[str]) -> bool:
    return any(
        isinstance(node, Definition) or (isinstance(node, ast.Name) and node.id in names)
        for node in ast.walk(statement)
    )


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Statements that are in a block."""
    for name in ("body", "orelse", "finalbody"):
        yield getattr(node, name, [])
    for handler in getattr(node, "handlers", []):
        yield handler.body


def _kind_beside(node: Definition) -> str:
    """`overload`, `setter` or `deleter` of a definition next to the one that its name means; else empty."""
    kinds = (ast.unparse(each).rpartition(".")[2] for each in node.decorator_list)
    return next((kind for kind in kinds if kind in _BESIDE), "")
