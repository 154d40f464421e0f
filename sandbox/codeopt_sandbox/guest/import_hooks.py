"""Hooks into the import of modules."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


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
