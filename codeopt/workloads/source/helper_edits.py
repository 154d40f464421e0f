"""A draft that changes a helper of the module: its function gets one of its own, and the module's stays for others.

Who else calls the helper was not judged on the change.
"""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from codeopt.workloads.source.definitions import code


def with_own_helpers(module: cst.Module, draft: cst.Module, qualname: str) -> cst.Module:
    """The draft, in which functions of the module that it changes have names of their own."""
    short = qualname.rpartition(".")[2]
    old, new = _functions(module), _functions(draft)
    changed = {name for name in new.keys() & old.keys() if name != short and _differs(old[name], new[name])}
    taken = {node.value for node in _names(module)} | {node.value for node in _names(draft)}
    names = {name: _free(f"_{name.lstrip('_')}_of_{short}", taken) for name in sorted(changed)}
    found = draft.visit(_Rename(names)) if names else draft
    assert isinstance(found, cst.Module)
    return found


def _functions(module: cst.Module) -> dict[str, cst.FunctionDef]:
    return {node.name.value: node for node in module.body if isinstance(node, cst.FunctionDef)}


def _differs(old: cst.FunctionDef, new: cst.FunctionDef) -> bool:
    """Return True if the new function differs and has a body. A model may give a helper's head only."""
    was, now = (ast.parse(code(node).strip()).body[0] for node in (old, new))
    assert isinstance(was, ast.FunctionDef | ast.AsyncFunctionDef)
    assert isinstance(now, ast.FunctionDef | ast.AsyncFunctionDef)
    for node in (was, now):
        node.body = [each for each in node.body if not isinstance(each, ast.Expr | ast.Pass) or not _says_nothing(each)]
    return bool(now.body) and ast.dump(was) != ast.dump(now)


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _names(module: cst.Module) -> list[cst.Name]:
    found: list[cst.Name] = []

    class Names(cst.CSTVisitor):
        def visit_Name(self, node: cst.Name) -> None:  # noqa: N802
            found.append(node)

    module.visit(Names())
    return found


class _Rename(cst.CSTTransformer):
    """Renames names, but not attributes and keywords with the same spelling."""

    def __init__(self, names: dict[str, str]) -> None:
        super().__init__()
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> Any:  # noqa: N802
        """Another name for what is changed."""
        return updated_node.with_changes(value=self.names.get(updated_node.value, updated_node.value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> Any:  # noqa: N802
        """An attribute is of something else."""
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> Any:  # noqa: N802
        """A keyword is the callee's."""
        return updated_node.with_changes(keyword=original_node.keyword)
