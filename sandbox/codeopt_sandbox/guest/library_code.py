"""Functions and classes of loaded libraries in their original state, so that patches are found by identity.

The loader of a later module records it as soon as it has run (`calls/module_loader.py`), before its importer can patch
it. Nothing is imported here, as a warm interpreter also records its libraries.
"""

from __future__ import annotations

import sys
from _frozen_importlib import BuiltinImporter, FrozenImporter
from _frozen_importlib_external import PathFinder
from _operator import attrgetter, is_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

modules = sys.modules
Function, Module = type(lambda: None), type(sys)
MEMBERS = frozenset((Function, property, classmethod, staticmethod))
INNER = tuple([attrgetter(name) for name in ("__code__", "__defaults__", "__kwdefaults__")])
HEAP_TYPE = 1 << 9
"""Bit of `type.__flags__` that marks classes that can be changed, unlike those of the interpreter's own code in C."""
REPLACED = "another"
"""State of a name that leads to another object."""
GONE = "gone"
"""State of a name that was taken out."""
NOT_IMPORTED = "put in its place, not imported"
"""State of a module that was put in sys.modules without an import."""


class NamedCode:
    """Names of a module or of a class, with their objects."""

    def __init__(self, prefix: str, space: Any, names: list[str]) -> None:
        self.prefix, self.space, self.names = prefix, space, names
        self.values = [space[name] for name in names]

    def is_as_it_was(self) -> bool:
        """Return True if all names have the same objects. No line of Python runs for each name."""
        return all(map(is_, map(self.space.get, self.names), self.values))


class ModuleCode:
    """Callables of one module, the members of its classes, and the parts of functions."""

    def __init__(self, name: str, module: Any) -> None:
        self.module = module
        space = vars(module)
        top = NamedCode(name, space, [key for key, value in space.items() if callable(value)])
        home = space.get("__name__")
        kinds = [value for value in top.values if issubclass(type(value), type) and value.__flags__ & HEAP_TYPE]
        self.parts = [top, *[members_of(name, kind) for kind in kinds if kind.__module__ == home]]
        found = [value for part in self.parts for value in part.values]
        self.functions = [value for value in found if type(value) is Function]
        self.inner = [list(map(get, self.functions)) for get in INNER]

    def is_as_it_was(self, inside: bool) -> bool:
        """Return True if everything is the same object. With `inside` the parts of functions are compared also."""
        if not all([part.is_as_it_was() for part in self.parts]):
            return False
        return not inside or all([all(map(is_, map(get, self.functions), was)) for get, was in zip(INNER, self.inner)])

    def other_functions(self) -> list[Any]:
        """Functions whose code or defaults were replaced."""
        found = zip(self.functions, *self.inner)
        return [each for each, *was in found if not all(map(is_, [get(each) for get in INNER], was))]


def members_of(module: str, kind: Any) -> NamedCode:
    """Methods and properties of a class."""
    members = vars(kind)
    return NamedCode(
        f"{module}.{kind.__qualname__}", members, [key for key in members if type(members[key]) in MEMBERS]
    )


class LibraryCode:
    """State of libraries when they were loaded."""

    def __init__(self) -> None:
        self.kept: dict[str, ModuleCode] = {}
        self.builtins = frozenset(vars(modules["builtins"]))
        self.keep_new()

    def keep_new(self) -> None:
        """Record modules that are new."""
        for name, module in list(modules.items()):
            if name != "__main__" and name not in self.kept:
                self.keep(name, module)

    def keep(self, name: str, module: Any) -> None:
        """Record a module as it is now; an object that replaced it in sys.modules while it ran counts as the module."""
        module = modules.get(name, module)
        if issubclass(type(module), Module):
            self.kept[name] = ModuleCode(name, module)

    def patched(self, ours: tuple[dict[str, Any], ...] = (), inside: bool = True) -> Iterator[tuple[str, str]]:
        """Yield (name, present state) of everything that was patched.

        Args:
            ours: Namespaces of functions of the harness, which replace others on purpose.
            inside: Look into functions. Audit hooks see this.
        """
        for name, was in list(self.kept.items()):
            module = modules.get(name)
            if module is None:  # it may be imported again
                continue
            if module is not was.module:
                yield name, REPLACED
                continue
            if not was.is_as_it_was(inside):
                yield from differences(was, ours)
        for name in vars(modules["builtins"]):
            if name not in self.builtins and name != "_":  # of an interactive interpreter
                yield f"builtins.{name}", "new"
        yield from self.smuggled()

    def smuggled(self) -> Iterator[tuple[str, str]]:
        """Modules under the name of a library's that were not imported."""
        known = {id(each.module) for each in self.kept.values()}
        tops = {name.partition(".")[0] for name in self.kept}.union(standard_names())
        for name, module in list(modules.items()):
            new = name not in self.kept and module is not None and id(module) not in known
            if new and name.partition(".")[0] in tops and is_other(name):
                yield name, NOT_IMPORTED


def differences(was: ModuleCode, ours: tuple[dict[str, Any], ...]) -> Iterator[tuple[str, str]]:
    """Names that were replaced in a module, or taken out of it. A new name is nobody's yet, so it does not count."""
    others = was.other_functions()
    for part in was.parts:
        for name, value in zip(part.names, part.values):
            now = part.space.get(name, part)
            if now is part:
                yield f"{part.prefix}.{name}", GONE
            elif now is not value:
                harness = type(now) is Function and any([now.__globals__ is each for each in ours])
                yield from () if harness else [(f"{part.prefix}.{name}", REPLACED)]
            elif any([now is each for each in others]):
                yield f"{part.prefix}.{name}", REPLACED


def standard_names() -> frozenset[str]:
    """Names of the standard library's modules; empty before Python 3.10."""
    return sys.stdlib_module_names if sys.version_info >= (3, 10) else frozenset()


def is_other(name: str) -> bool:
    """Return True if an import of that name gives another module.

    Most modules without a file are created by the package whose name they have.
    """
    parent = modules.get(name.rpartition(".")[0])
    path = vars(parent).get("__path__") if issubclass(type(parent), Module) else None
    if "." in name and path is None:
        return False
    finders = (BuiltinImporter, FrozenImporter, PathFinder) if path is None else (PathFinder,)
    found = [spec for spec in [finder.find_spec(name, path) for finder in finders] if spec is not None]
    return bool(found) and found[0].origin is not None
