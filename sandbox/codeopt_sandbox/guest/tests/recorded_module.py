"""Puts recorders before functions as soon as their module is imported, or its file is run as a program."""

from __future__ import annotations

import os
import sys

from ..import_hooks import after_import, as_it_was
from .main_script import ScriptHook, WatchedFile, decorated
from .object_history import ClassHistory, classes_of
from .recorder import CallRecorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _frozen_importlib import ModuleSpec
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any


class RecordedModule:
    """A module and the recorders of some of its functions."""

    def __init__(self, recorders: Sequence[CallRecorder], watched: WatchedFile | None = None) -> None:
        self.recorders, self.watched = recorders, watched
        """`watched` identifies the module by its file, with any name."""
        self.names = [recorder.qualname for recorder in recorders]

    def may_be(self, name: str) -> bool:
        """Return True if a module of that name can be this one."""
        return self.watched.may_be(name) if self.watched else name == self.recorders[0].module

    def wrap(self, module: ModuleType) -> None:
        """Put the recorders before the functions; the module's classes are watched once for all of them."""
        places = [recorder.put_before(module) for recorder in self.recorders]
        histories = [ClassHistory(each, (name for kind, name in places if kind is each)) for each in classes_of(module)]
        for history in histories:
            history.watch()
        for recorder in self.recorders:
            recorder.histories = histories

    def wrap_after(self, loader: Any, origin: str | None) -> None:
        """Once the module has been run; `python -m` asks for its code instead, and gets it with decorators."""

        def get_code(name: str) -> Any:
            as_it_was(loader)
            return decorated(loader.get_data(origin), str(origin), self.names, self.decorate, script=False)

        after_import(loader, self.wrap)
        if self.watched is not None and hasattr(loader, "get_data") and str(origin).endswith(".py"):
            loader.get_code = get_code

    def decorate(self, qualname: str) -> Callable[[Any], Any]:
        """Decorator of a function of the program that is this file."""
        recorder = self.recorders[self.names.index(qualname)]

        def decorator(raw: Any) -> Any:
            recorder.sink("@ loaded __main__")
            return recorder.in_place_of(raw) or raw

        return decorator


class Finder:
    """Wraps functions as soon as their module has been imported."""

    def __init__(self, modules: Sequence[RecordedModule]) -> None:
        self.modules = modules

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Spec from the other finders, with a loader that wraps functions."""
        possible = [module for module in self.modules if module.may_be(name)]
        for finder in sys.meta_path if possible else ():
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                for module in possible:
                    if module.watched is None or module.watched.is_at(spec.origin):
                        module.wrap_after(spec.loader, spec.origin)
                return spec
        return None


def install(recorder: CallRecorder) -> None:
    """Record from the module's import on; when it is imported already, from now on."""
    recorded = RecordedModule([recorder])
    sys.meta_path.insert(0, Finder([recorded]))
    if recorder.module in sys.modules:
        recorded.wrap(sys.modules[recorder.module])


def install_for_file(path: str, qualname: str, most: int, sink: Callable[[str], None]) -> None:
    """Record one function in a user's own interpreter, at its start."""
    install_for_files({path: [CallRecorder("", qualname, most, sink)]})


def install_in_project(root: str, functions: list[tuple[str, str]], most: int, sink: Callable[[str], None]) -> None:
    """Record functions of a project, each given by the path of its file and its qualified name.

    Each line begins with the number of its function.
    """
    recorders: dict[str, list[CallRecorder]] = {}
    for number, (path, qualname) in enumerate(functions):
        recorder = CallRecorder("", qualname, most, _numbered(number, sink))
        recorders.setdefault(os.path.realpath(root) + os.sep + path, []).append(recorder)
    install_for_files(recorders)


def _numbered(number: int, sink: Callable[[str], None]) -> Callable[[str], None]:
    return lambda line: sink(f"{number} {line}")


def install_for_files(recorders: dict[str, list[CallRecorder]]) -> None:
    """Record in a user's own interpreter, at its start: a file may be imported by any name, or be the program.

    recorders: of each file's functions, by its real path.
    """
    modules = {file: RecordedModule(recorders[file.path], file) for file in map(WatchedFile, recorders)}
    sys.meta_path.insert(0, Finder([*modules.values()]))
    sys.path_hooks[:0] = [ScriptHook(file, module.names, module.decorate) for file, module in modules.items()]
