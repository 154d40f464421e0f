"""Imports the module under test from its text and finds the function to call."""

from __future__ import annotations

import builtins
import sys
from _frozen_importlib_external import spec_from_file_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _frozen_importlib import ModuleSpec
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any

    from .function_ref import FunctionRef

modules = sys.modules


class SourceLoader:
    """Gives the module under test from its text, and leaves all others to the usual importers."""

    def __init__(self, ref: FunctionRef, source: str) -> None:
        self.ref, self.source = ref, source

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Of the module under test alone."""
        loader: Any = self  # without load_module, which nobody asks for any more
        file = self.ref.file
        if name != self.ref.module:
            return None
        folders = [file.rpartition("/")[0]] if file.endswith("/__init__.py") else None
        return spec_from_file_location(name, file, loader=loader, submodule_search_locations=folders)

    def create_module(self, spec: ModuleSpec) -> None:
        """As usual."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the text, with everybody's builtins."""
        import linecache  # a decorator may compile what inspect.getsource gives: not the file's text, but this

        file, source = self.ref.file, self.source
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        vars(module)["__builtins__"] = vars(builtins)  # else exec would give it ours
        exec(compile(source, file, "exec", dont_inherit=True), vars(module))


def import_target(ref: FunctionRef, source: str) -> tuple[ModuleType, Callable[..., Any]]:
    """The module under test and the function to call."""
    sys.path[:0] = ref.paths
    sys.argv[1:] = []
    sys.meta_path.insert(0, SourceLoader(ref, source))
    __import__(ref.module)
    sys.path += [path for path in ref.test_paths if path not in sys.path]
    module = modules[ref.module]
    return module, find_target(ref.qualname, module)


def find_target(qualname: str, module: ModuleType) -> Callable[..., Any]:
    """What to call: functions and static methods as they are, methods with `self` as their first argument."""
    owner: Any = module
    *classes, name = qualname.split(".")
    for part in classes:
        owner = getattr(owner, part)
    found = getattr(owner, name)
    if classes:
        raw = next(vars(base)[name] for base in owner.__mro__ if name in vars(base))
        if isinstance(raw, property):
            found = raw.fget
        elif type(raw).__name__ == "cached_property":
            found = raw.func
    if not callable(found):
        raise TypeError(f"{qualname} is not callable")
    return found  # type: ignore[no-any-return]
