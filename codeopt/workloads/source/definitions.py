"""Definitions in a libcst module by name, in any surrounding statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst


def find(body: Iterable[cst.CSTNode], path: Sequence[str]) -> cst.FunctionDef | None:
    """The last definition of that name that is no overload and no property's setter; `if`, `try` and `with` at the
    same level are looked into."""
    found: cst.FunctionDef | None = None
    for node in flat(body):
        if len(path) == 1 and isinstance(node, cst.FunctionDef) and node.name.value == path[0] and not _beside(node):
            found = node
        elif len(path) > 1 and isinstance(node, cst.ClassDef) and node.name.value == path[0]:
            found = find(node.body.body, path[1:]) or found
    return found


def flat(body: Iterable[cst.CSTNode]) -> Iterable[cst.CSTNode]:
    """Statements, and those inside of `if`, `try` and `with`."""
    for node in body:
        yield node
        if isinstance(node, cst.If | cst.Try | cst.With | cst.Else | cst.Finally | cst.ExceptHandler):
            yield from flat(node.body.body)
            for part in ("orelse", "finalbody"):
                if (other := getattr(node, part, None)) is not None:
                    yield from flat([other])
            yield from flat(getattr(node, "handlers", ()))


def find_class(body: Iterable[cst.CSTNode], path: Sequence[str]) -> cst.ClassDef | None:
    """The class of that name, in the classes named before it."""
    found = None
    for name in path:
        found = next((n for n in flat(body) if isinstance(n, cst.ClassDef) and n.name.value == name), None)
        if found is None:
            return None
        body = found.body.body
    return found


def _beside(node: cst.FunctionDef) -> bool:
    kinds = {code(d.decorator).rpartition(".")[2] for d in node.decorators}
    return not kinds.isdisjoint(("overload", "setter", "deleter"))


def code(node: cst.CSTNode) -> str:
    return cst.Module(body=[]).code_for_node(node)
