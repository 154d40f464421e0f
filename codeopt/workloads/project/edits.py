"""Edits of a project: which functions are other than they were, and the project without one of them."""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.workloads.project.text import joined, parted
from codeopt.workloads.source.placing import added, functions_of, replaced, span_of


@dataclass(frozen=True)
class CodeEdit:
    """One function that is other than it was."""

    file: str
    qualname: str
    """`<module>` where no function changes, but what stands outside of them."""

    def __str__(self) -> str:
        return f"{self.file}::{self.qualname}"


def edits_of(old: str, new: str) -> tuple[CodeEdit, ...]:
    """What differs between two texts of a project."""
    before, found = parted(old), []
    for path, text in parted(new).items():
        if path in before and text != before[path]:
            was, now = functions_of(before[path]), functions_of(text)
            changed = [name for name, lines in was.items() if now.get(name) != lines]
            found += [CodeEdit(path, name) for name in changed or ["<module>"]]
    return tuple(found)


def without(old: str, new: str, edit: CodeEdit) -> str:
    """The new text with one edit taken back."""
    before, files = parted(old), parted(new)
    if edit.qualname == "<module>":
        files[edit.file] = before[edit.file]
        return joined(files)
    text = files[edit.file]
    was = functions_of(before[edit.file])[edit.qualname]
    now = span_of(text, edit.qualname)
    if now is not None:
        files[edit.file] = replaced(text, now, was)
    else:
        files[edit.file] = added(text, edit.qualname, was)
    if not any(each.file == edit.file for each in edits_of(old, joined(files)) if each.qualname != "<module>"):
        files[edit.file] = before[edit.file]  # what is left are helpers and imports that nobody needs
    return joined(files)
