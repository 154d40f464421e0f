"""Callbacks on the import of a module, called by its own loader once the module has run."""

from __future__ import annotations

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
