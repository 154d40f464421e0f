"""Public surface of a project: what `__all__` of a module lists, or of its package, where that takes names from the
module to show them; without such a list functions without an underscore in modules without one, and what a package
takes from the others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from codeopt.workloads.project.edits import CodeEdit
from codeopt.workloads.project.module_graph import read_module

CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__del__"})
"""Seen by what the objects do."""
EVERYTHING = "*"
"""As `from module import *` has it."""


@dataclass(frozen=True)
class Surface:
    """Names of one module that others may call."""

    listed: frozenset[str] | None
    """By `__all__`; None where no list says it."""
    taken: frozenset[str]
    """By packages, from a module that is private."""
    hidden: bool
    """The module is private by its name."""

    def reaches(self, qualname: str) -> bool:
        """Whether others than the project may call the function."""
        parts = qualname.split(".")
        if any(map(_is_private, parts)):
            return False
        if self.listed is not None:
            return parts[0] in self.listed
        return not self.hidden or bool({parts[0], EVERYTHING} & self.taken)


def surface_of(file: str, files: Mapping[str, str]) -> Surface:
    """Public surface of a module. files: the project's modules by path."""
    path = PurePosixPath(file)
    listed = _exported(files[file])
    if listed is None:
        listed = _listed_by_package(path, files)
    hidden = any(_is_private(part) for part in (*path.parent.parts, path.stem))
    packages = (text for name, text in files.items() if PurePosixPath(name).name == "__init__.py")
    taken = _taken(path.stem, packages) if hidden else ()
    return Surface(None if listed is None else frozenset(listed), frozenset(taken), hidden)


def is_public(edit: CodeEdit, files: Mapping[str, str]) -> bool:
    """Whether the function that changes has a contract of its own, which calls of it show."""
    name = edit.qualname.rpartition(".")[2]
    changed = edit.qualname != "<module>" and name not in CONSTRUCTORS
    return changed and surface_of(edit.file, files).reaches(edit.qualname)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _exported(text: str) -> set[str] | None:
    """Names that `__all__` lists; None where there is none that can be read."""
    for node in read_module(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
            assert isinstance(node, ast.Assign)
            try:
                return {str(name) for name in ast.literal_eval(node.value)}
            except (ValueError, TypeError):
                return None
    return None


def _listed_by_package(path: PurePosixPath, files: Mapping[str, str]) -> set[str] | None:
    """Names that a package around a module takes from it and lists in `__all__`; None where none does that."""
    for folder in path.parents:
        text = files.get(str(folder / "__init__.py"), "")
        listed, taken = _exported(text), _taken(path.stem, [text])
        if listed is not None and (taken & listed or EVERYTHING in taken):
            return listed if EVERYTHING in taken else taken & listed
    return None


def _taken(module: str, packages: Iterable[str]) -> set[str]:
    """The public names that packages import from a module, as they stand there."""
    return {
        each.name
        for text in packages
        for node in ast.walk(read_module(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == module
        for each in node.names
        if not _is_private(each.asname or each.name)
    }


def changed_classes(before: Mapping[str, str], after: Mapping[str, str], judged: CodeEdit) -> set[str]:
    """Names of classes that are other than they were, also without the function that is judged: what their objects hold
    may be another."""
    found = set[str]()
    for path, text in after.items():
        if text == before.get(path, ""):
            continue
        leave = judged.qualname if path == judged.file else ""
        was, now = _classes(before.get(path, ""), leave), _classes(text, leave)
        found |= {name for name in was.keys() | now.keys() if was.get(name) != now.get(name)}
    return found


def _classes(text: str, leave: str) -> dict[str, str]:
    """By name what a class consists of, without one method of one of them."""
    return {
        node.name: "\n".join(
            ast.dump(each) for each in node.body if f"{node.name}.{getattr(each, 'name', '')}" != leave
        )
        for node in ast.walk(read_module(text))
        if isinstance(node, ast.ClassDef)
    }
