"""Edits of a project: which functions differ between two revisions, by text or by behavior, and revisions with and
without edits."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from codeopt.analysis.nodes import first_line
from codeopt.analysis.positions import Def, find_definition, functions
from codeopt.analysis.syntax import physical_lines
from codeopt.core.revision import Revision
from codeopt.workloads.source.placing import added, functions_of, replaced, span_of

OUTSIDE = "<module>"
"""Stands for what is in no function, in place of a qualified name."""
COMMENT = "# noted\n"


@dataclass(frozen=True)
class CodeEdit:
    """A function whose lines changed."""

    file: str
    qualname: str
    """Name of the function; `<module>` for a change outside of functions."""

    def __str__(self) -> str:
        return f"{self.file}::{self.qualname}"


def edits_of(old: Revision, new: Revision) -> tuple[CodeEdit, ...]:
    """The edits that make `new` of `old`, by file and in the order of the old functions."""
    found: list[CodeEdit] = []
    for path in new.changed_files(old):
        was, now = functions_of(old[path]), functions_of(new[path])
        changed = [name for name, lines in was.items() if now.get(name) != lines]
        found += [CodeEdit(path, name) for name in changed or [OUTSIDE]]
    return tuple(found)


def without(old: Revision, new: Revision, edit: CodeEdit) -> Revision:
    """The new revision with one edit taken back; helpers and imports that no edit needs any more go with it."""
    before, text = old[edit.file], new[edit.file]
    if edit.qualname == OUTSIDE:
        return new.with_file(edit.file, before)
    was, now = functions_of(before)[edit.qualname], span_of(text, edit.qualname)
    rest = new.with_file(edit.file, replaced(text, now, was) if now else added(text, edit.qualname, was))
    edits = edits_of(old, rest)
    needed = any(each.file == edit.file and each.qualname != OUTSIDE for each in edits)
    return rest if needed else rest.with_file(edit.file, before)


def commented(original: Revision, edits: Sequence[CodeEdit]) -> Revision:
    """Return a project with the same behavior: a comment is added above each function and above its first statement."""
    found = original
    for path in dict.fromkeys(edit.file for edit in edits):
        names = [edit.qualname for edit in edits if edit.file == path and edit.qualname != OUTSIDE]
        found = found.with_file(path, _noted(original[path], names))
    return found


def _noted(text: str, names: Sequence[str]) -> str:
    body, lines = ast.parse(text).body, physical_lines(text)
    places: set[int] = set()
    for name in names:
        node = find_definition(body, name)
        if node is not None:
            places |= {first_line(node), node.body[0].lineno}
    for number in sorted(places, reverse=True):
        line = lines[number - 1]
        lines.insert(number - 1, line[: len(line) - len(line.lstrip())] + COMMENT)
    return "".join(lines)


def by_name(body: Sequence[ast.stmt]) -> dict[str, list[Def]]:
    """Functions by qualified name, of which a property and its setter have one."""
    found: dict[str, list[Def]] = defaultdict(list)
    for name, node in functions(body):
        found[name].append(node)
    return dict(found)


def head_of(node: Def) -> list[str]:
    """Decorators and parameters with their defaults, which are evaluated without a call."""
    return [type(node).__name__, *map(ast.dump, (node.args, *node.decorator_list))]


def body_of(node: Def) -> list[str]:
    """Statements without the docstring."""
    return [ast.dump(each) for each in node.body[is_text(node.body[0]) :]]


def is_text(node: ast.stmt) -> bool:
    """Return True if a statement is only a string, as docstrings are."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def keeps_statements(was: Sequence[ast.stmt], now: Sequence[ast.stmt]) -> bool:
    """Return True if all statements except functions are kept in order. Classes are compared by their content."""
    plain, new = ([each for each in body if not isinstance(each, Def)] for body in (was, now))
    rest = iter(new)
    return all(any(_same(each, other) for other in rest) for each in plain)


def _same(was: ast.stmt, now: ast.stmt) -> bool:
    if not isinstance(was, ast.ClassDef) or not isinstance(now, ast.ClassDef):
        return ast.dump(was) == ast.dump(now)
    heads = [[node.name, *map(ast.dump, (*node.bases, *node.keywords, *node.decorator_list))] for node in (was, now)]
    return heads[0] == heads[1] and keeps_statements(was.body, now.body)
