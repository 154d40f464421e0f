"""Functions and classes of loaded libraries, remembered as they were, so that what is patched is found by identity.

A module that is loaded later is remembered by its own loader, as soon as it has run (`calls/module_loader.py`): nobody
who imports it can patch it before. Nothing is imported here, for a warm interpreter remembers its libraries, too.
"""

from __future__ import annotations

import sys
from _frozen_importlib import BuiltinImporter, FrozenImporter
from _frozen_importlib_external import PathFinder
from _operator import is_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

modules = sys.modules
Function, Module = type(lambda: None), type(sys)
MEMBERS = frozenset((Function, property, classmethod, staticmethod))
HEAP_TYPE = 1 << 9
"""Of `type.__flags__`: a class that can be changed, unlike those of the interpreter's own code in C."""
REPLACED, GONE, NOT_IMPORTED = "another", "gone", "put in its place, not imported"


class ModuleCode:
    """Callables of one module, the members of its classes, and what functions are made of."""

    def __init__(self, module: Any, kinds: list[Any] | None = None) -> None:
        self.module = module
        self.names: list[str] = []
        self.values: list[Any] = []
        for name, value in vars(module).items():
            if callable(value):
                self.names.append(name)
                self.values.append(value)
        self.kinds = self.own_classes() if kinds is None else kinds
        """Classes that were the module's own when it was loaded."""
        for kind in self.kinds:
            self.add_members(kind)
        functions = [value for value in self.values if type(value) is Function]
        self.inner = [(each.__code__, each.__defaults__, each.__kwdefaults__) for each in functions]

    def own_classes(self) -> list[Any]:
        """Those that can be changed."""
        home = vars(self.module).get("__name__")
        kinds = [value for value in self.values if issubclass(type(value), type) and value.__flags__ & HEAP_TYPE]
        return [kind for kind in kinds if kind.__module__ == home]

    def add_members(self, kind: Any) -> None:
        """Methods and properties of a class."""
        for name, value in vars(kind).items():
            if type(value) in MEMBERS:
                self.names.append(f"{kind.__qualname__}.{name}")
                self.values.append(value)

    def is_as(self, other: ModuleCode) -> bool:
        """Whether all of it is the same."""
        if len(self.values) != len(other.values) or not all(map(is_, self.values, other.values)):
            return False
        return self.names == other.names and all([all(map(is_, *each)) for each in zip(self.inner, other.inner)])

    def by_name(self) -> dict[str, tuple[Any, ...]]:
        """What stands under each name."""
        inner = iter(self.inner)
        return {
            name: (value, *next(inner)) if type(value) is Function else (value,)
            for name, value in zip(self.names, self.values)
        }


class LibraryCode:
    """What libraries were like when they were loaded."""

    def __init__(self) -> None:
        self.kept: dict[str, ModuleCode] = {}
        self.builtins = frozenset(vars(modules["builtins"]))
        self.keep_new()

    def keep_new(self) -> None:
        """Modules that are there and were not."""
        for name, module in list(modules.items()):
            if name != "__main__" and name not in self.kept:
                self.keep(name, module)

    def keep(self, name: str, module: Any) -> None:
        """A module as it is now; what took its place in sys.modules while it was run counts as it."""
        module = modules.get(name, module)
        if issubclass(type(module), Module):
            self.kept[name] = ModuleCode(module)

    def patched(self, ours: tuple[dict[str, Any], ...] = ()) -> Iterator[tuple[str, str]]:
        """(name, what it is now) of whatever is another than it was. ours: namespaces of functions of the harness,
        which stand in the place of others on purpose."""
        for name, was in list(self.kept.items()):
            module = modules.get(name)
            if module is None:  # it may be imported again
                continue
            if module is not was.module:
                yield name, REPLACED
                continue
            now = ModuleCode(module, was.kinds)
            if not was.is_as(now):
                yield from differences(name, was, now, ours)
        for name in vars(modules["builtins"]):
            if name not in self.builtins and name != "_":  # of an interactive interpreter
                yield f"builtins.{name}", "new"
        yield from self.smuggled()

    def smuggled(self) -> Iterator[tuple[str, str]]:
        """Modules that stand under the name of a library's and were not imported."""
        known = {id(each.module) for each in self.kept.values()}
        tops = {name.partition(".")[0] for name in self.kept}.union(standard_names())
        for name, module in list(modules.items()):
            new = name not in self.kept and module is not None and id(module) not in known
            if new and name.partition(".")[0] in tops and is_other(name, module):
                yield name, NOT_IMPORTED


def differences(
    name: str, was: ModuleCode, now: ModuleCode, ours: tuple[dict[str, Any], ...]
) -> Iterator[tuple[str, str]]:
    """What was replaced in a module, or taken out of it. What is new in it is nobody's yet."""
    found = now.by_name()
    for each, parts in was.by_name().items():
        others = found.get(each)
        if others is None:
            yield f"{name}.{each}", GONE
        elif len(parts) != len(others) or not all(map(is_, parts, others)):
            other = others[0]
            if type(other) is not Function or not any([other.__globals__ is space for space in ours]):
                yield f"{name}.{each}", REPLACED


def standard_names() -> frozenset[str]:
    """Of the standard library's modules; from 3.10 on."""
    return sys.stdlib_module_names if sys.version_info >= (3, 10) else frozenset()


def is_other(name: str, module: Any) -> bool:
    """Whether an import of that name would have given another module: most that were not imported are made up by the
    package whose name they have."""
    parent = modules.get(name.rpartition(".")[0])
    path = vars(parent).get("__path__") if issubclass(type(parent), Module) else None
    if "." in name and path is None:
        return False
    finders = (BuiltinImporter, FrozenImporter, PathFinder) if path is None else (PathFinder,)
    found = [spec for spec in [finder.find_spec(name, path) for finder in finders] if spec is not None]
    return bool(found) and found[0].origin is not None
