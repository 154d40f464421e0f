"""Hooks into the import of modules."""

from __future__ import annotations

import os
import sys
from _frozen_importlib import BuiltinImporter, FrozenImporter
from _frozen_importlib_external import PathFinder

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .request import FunctionRef


def after_import(loader: Any, then: Callable[[ModuleType], None]) -> None:
    """Have something done with a module once its loader has run it."""

    def exec_module(module: ModuleType) -> None:
        as_it_was(loader)
        loader.exec_module(module)
        then(module)

    loader.exec_module = exec_module


def as_it_was(loader: Any) -> None:
    """Restore the loader's own methods."""
    for name in ("exec_module", "get_code"):
        vars(loader).pop(name, None)


# Finders of packages that are installed in place, in a sandbox with their sources at another path.
#
# Those of scikit-build-core and meson-python come before all others, and lead to paths of the host. If such a path does
# not exist, the usual finders find the project's copy. Files that scikit-build-core built are among the packages.

SOURCES = "known_source_files"
"""Attribute of scikit-build-core's: file by module."""
FOLDERS = "submodule_search_locations"
"""Attribute of scikit-build-core's: folders by package."""
BUILD = "_build_path"
"""Attribute of meson-python's: the folder that it builds in before each import."""


def leave_what_is_missing() -> None:
    """Have these finders find nothing that is not there."""
    for finder in list(sys.meta_path):
        known = getattr(finder, "__dict__", {})
        sources, folders = known.get(SOURCES), known.get(FOLDERS)
        if isinstance(sources, dict) and isinstance(folders, dict):
            for name in [name for name, path in sources.items() if not os.path.exists(path)]:  # noqa: PTH110
                del sources[name]
                folders.pop(name, None)
        elif isinstance(known.get(BUILD), str) and not os.path.isdir(known[BUILD]):  # noqa: PTH112
            sys.meta_path.remove(finder)


# Import context of a module under test: the libraries that are loaded when its functions are called, and their changes.
#
# The context must be the same whether libraries are imported with the module or before the fork. If it is not, they are
# not imported before.


PACKAGES = ("site-packages", "dist-packages")


class Before:
    """State before the module was imported."""

    def __init__(self) -> None:
        self.modules = frozenset(sys.modules)
        self.environ = dict(os.environ)


def import_context(ref: FunctionRef, before: Before) -> dict[str, Any]:
    """Import context as values of JSON.

    new      libraries that were imported with the module, in order
    early    modules of the project's own that were there before it
    set      environment variables that were changed with it
    modules  all libraries, with their files; the rest is what libraries may change
    """
    found = {name: origin_of(module) for name, module in list(sys.modules.items())}
    known = {name: origin for name, origin in found.items() if is_library(name, origin, ref)}
    own = [name for name, origin in found.items() if origin.startswith("/") and name not in known]
    environ = dict(os.environ)
    return {
        "new": [name for name in known if name not in before.modules],
        "early": [name for name in own if name in before.modules],
        "set": sorted(name for name, _ in set(environ.items()) ^ set(before.environ.items())),
        "modules": {name: origin for name, origin in known.items() if origin.startswith("/")},
        "environment": environ,
        "path": sys.path[:],
        "folder": os.getcwd(),  # noqa: PTH109
        "arguments": sys.argv[:],
        "limits": [sys.getrecursionlimit(), sys.getswitchinterval()],
        "finders": [getattr(each, "__name__", type(each).__name__) for each in sys.meta_path],
        "filters": [str(each) for each in getattr(sys.modules.get("warnings"), "filters", ())],
    }


def origin_of(module: Any) -> str:
    """File of a module; empty, "built-in" or "frozen" if it has not any."""
    origin = getattr(getattr(module, "__spec__", None), "origin", None)
    return origin if isinstance(origin, str) else ""


def is_library(name: str, origin: str, ref: FunctionRef) -> bool:
    """Whether a module is installed or of the standard library, and not of the package under test."""
    if name.partition(".")[0] in (ref.module.partition(".")[0], "__main__") or not origin:
        return False
    if any(origin.startswith(path + "/") for path in ref.paths if path.rpartition("/")[2] not in PACKAGES):
        return False
    if not origin.startswith("/") or not set(PACKAGES).isdisjoint(origin.split("/")):
        return True
    return origin.startswith(os.path.dirname(os.__file__) + "/")  # noqa: PTH120


def import_library(name: str, ref: FunctionRef) -> None:
    """Import a library by its name; any other name is ignored, as a process of the code under test reported it."""
    parent, _, _ = name.rpartition(".")
    try:
        if parent:
            import_library(parent, ref)
        path = sys.modules[parent].__path__ if parent else None
        specs = [finder.find_spec(name, path) for finder in (BuiltinImporter, FrozenImporter, PathFinder)]
        origin = next((str(spec.origin) for spec in specs if spec is not None), "")
        if name not in sys.modules and is_library(name, origin, ref):
            __import__(name)
    except BaseException:  # a name that a package generated comes with that package; of a broken one anything may come
        return
