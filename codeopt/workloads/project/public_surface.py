"""Public surface of a project.

It is the list `__all__` of a module, or of its package if the package reexports the module's names. Without a list it
is each function without an underscore in a module without one, and all names that a package imports from other modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from codeopt.workloads.source.edits import CodeEdit
from codeopt.workloads.source.module_graph import read_module

CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__del__"})
"""Seen by what the objects do."""
EVERYTHING = "*"
"""Name in `from module import *`."""


@dataclass(frozen=True)
class Surface:
    """Names of one module that others may call."""

    listed: frozenset[str] | None
    """Names in `__all__`; None if no list exists."""
    taken: frozenset[str]
    """Names that packages import from a private module."""
    hidden: bool
    """The module is private by its name."""

    def reaches(self, qualname: str) -> bool:
        """Return True if code outside of the project may call the function."""
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


@dataclass
class Surfaces:
    """Public surfaces of a project's modules, each read once."""

    files: Mapping[str, str]
    """Modules by path."""
    known: dict[str, Surface] = field(default_factory=dict)

    def is_public(self, edit: CodeEdit) -> bool:
        """Return True if the changed function has its own contract, which calls of it show."""
        name = edit.qualname.rpartition(".")[2]
        if edit.qualname == "<module>" or name in CONSTRUCTORS:
            return False
        if edit.file not in self.known:
            self.known[edit.file] = surface_of(edit.file, self.files)
        return self.known[edit.file].reaches(edit.qualname)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _exported(text: str) -> set[str] | None:
    """Return the names in `__all__`; None if there is no list, or if it cannot be evaluated."""
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
    """Return the public names that packages import from a module, by their names in the module."""
    return {
        each.name
        for text in packages
        for node in ast.walk(read_module(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == module
        for each in node.names
        if not _is_private(each.asname or each.name)
    }
