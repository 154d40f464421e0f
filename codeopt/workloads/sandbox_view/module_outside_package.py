"""A version of a module that lies outside of its project: without the modules around it that it imports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codeopt.core.interpreter import PROJECT_FILES
from codeopt.workloads.sandbox_view.untracked import imported_files
from codeopt.workloads.sandbox_view.view import Module, locate

PROJECT = (".git", *PROJECT_FILES)
"""Names of which the top folder of a project has one."""


def is_outside_package(text: str, path: Path, home: Path) -> bool:
    """Return True if a module imports files at the place of `home` that its own path lacks.

    A module at the same place of another checkout is not a stray: the other checkout does not have those files.
    """
    there, here = locate(home), locate(path)
    if there.path == here.path or (there.name == here.name and any((here.root / name).exists() for name in PROJECT)):
        return False
    return bool(set(_found(text, there)) - set(_found(text, here)))


def _found(text: str, module: Module) -> Iterator[str]:
    """Yield the project's modules that a text imports at a module's place, relative to their import folder."""
    for each in imported_files(text, module.path, module.roots):
        root = next((root for root in module.roots if each.is_relative_to(root)), None)
        if root is not None:
            yield each.relative_to(root).as_posix()
