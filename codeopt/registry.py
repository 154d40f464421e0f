"""The folder is the registry: a file is a plug-in; a dotted path or an entry point adds one from outside."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from types import ModuleType

from codeopt.errors import UsageError


@cache
def installed(group: str) -> EntryPoints:
    """Entry points of a group: all installed packages are read for it, 2 ms, and a command asks thirty times."""
    return entry_points(group=group)


def names(package: str) -> list[str]:
    """The plug-ins of a package: its modules that do not start with an underscore, then installed entry points."""
    home = importlib.import_module(package)
    inside = sorted(m.name for m in pkgutil.iter_modules(home.__path__) if not m.name.startswith("_"))
    return [*inside, *sorted(e.name for e in installed(package))]


def load(package: str, name: str) -> ModuleType:
    """The module behind `name`: a file of the package, an entry point of the group, or a dotted path.

    Raises UsageError naming the choices when there is none.
    """
    module_name = name.replace("-", "_")
    if module_name in names(package):
        for entry in installed(package).select(name=name):
            module: ModuleType = entry.load()
            return module
        return importlib.import_module(f"{package}.{module_name}")
    if "." in name:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise UsageError(f"cannot import {name!r}: {error}") from error
    kind, choices = package.rpartition(".")[2].removesuffix("s"), ", ".join(names(package))
    raise UsageError(f"there is no {kind} {name!r}; choose one of: {choices}")
