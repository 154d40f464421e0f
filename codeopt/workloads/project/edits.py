"""Edits of a project: which functions differ between two revisions, and a revision without one of its edits."""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.core.revision import Revision
from codeopt.workloads.source.placing import added, functions_of, replaced, span_of

OUTSIDE = "<module>"
"""Stands for what is in no function, in place of a qualified name."""


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
