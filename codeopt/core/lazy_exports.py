"""Lazy re-export of names from a package: `codeopt --help` loads none of the modules that define them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: a name's module is imported when the name is first asked for.

    homes: the module of each name. The function that is returned raises AttributeError for any other name.
    """

    def attribute(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return attribute
