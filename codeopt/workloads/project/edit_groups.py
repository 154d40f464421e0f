"""Edits of a patch that belong together: one introduces an attribute, a name or a parameter that another uses. Taken
back alone, a part of such a group is wrong or gains nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent

from codeopt.analysis.positions import Def, bound_names
from codeopt.core.revision import Revision
from codeopt.workloads.source.edits import OUTSIDE, CodeEdit, edits_of
from codeopt.workloads.source.placing import functions_of


def edit_groups(old: Revision, new: Revision) -> tuple[tuple[CodeEdit, ...], ...]:
    """The edits that make `new` of `old`, those that belong together in one group, in the order of the edits."""
    edits = [_read(edit, old, new) for edit in edits_of(old, new)]
    groups: list[list[_NamesOfEdit]] = []
    for edit in edits:
        joined = [group for group in groups if any(edit.belongs_to(other) for other in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*(each for group in joined for each in group), edit])
    ordered = [sorted(group, key=edits.index) for group in groups]
    ordered.sort(key=lambda group: edits.index(group[0]))
    return tuple(tuple(each.edit for each in group) for group in ordered)


@dataclass(frozen=True)
class _NamesOfEdit:
    """Names that an edit introduces and needs."""

    edit: CodeEdit
    introduces: frozenset[str]
    """Attributes (`.name`) and names that others could not use before."""
    uses: frozenset[str]
    """Attributes and names that it mentions and did not before."""
    reshaped: frozenset[str] = frozenset()
    """Names of the function, where its parameters change."""
    mentions: frozenset[str] = frozenset()

    def belongs_to(self, other: _NamesOfEdit) -> bool:
        """Return True if one edit needs a name that the other introduces."""
        return any(a.introduces & b.uses or a.reshaped & b.mentions for a, b in ((self, other), (other, self)))


def _read(edit: CodeEdit, old: Revision, new: Revision) -> _NamesOfEdit:
    before, after = old[edit.file], new[edit.file]
    if edit.qualname == OUTSIDE:
        was, now = ast.parse(before), ast.parse(after)
        names = frozenset(_bound(now.body) - _bound(was.body))
        introduces = names | {f".{name}" for name in names}
        return _NamesOfEdit(edit, introduces, _mentioned(now) - _mentioned(was), mentions=_mentioned(now))
    was, now = (_function(text, edit.qualname) for text in (before, after))
    name = edit.qualname.rpartition(".")[2]
    reshaped = frozenset({name, f".{name}"}) if _parameters(was) != _parameters(now) else frozenset()
    return _NamesOfEdit(edit, _stored(now) - _stored(was), _mentioned(now) - _mentioned(was), reshaped, _mentioned(now))


def _function(text: str, qualname: str) -> ast.Module:
    """Return the function as a module of its own, empty if the text has no such function."""
    return ast.parse(dedent(functions_of(text).get(qualname, "")))


def _bound(body: Sequence[ast.stmt]) -> set[str]:
    return {name for node in body for name in bound_names(node)}


def _stored(tree: ast.AST) -> frozenset[str]:
    """Attributes that are set."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return frozenset(f".{node.attr}" for node in nodes if isinstance(node.ctx, ast.Store))


def _mentioned(tree: ast.AST) -> frozenset[str]:
    """Names, and attributes as `.name`."""
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(names | {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)})


def _parameters(tree: ast.Module) -> str:
    return ast.unparse(tree.body[0].args) if tree.body and isinstance(tree.body[0], Def) else ""
