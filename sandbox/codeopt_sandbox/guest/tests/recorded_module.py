"""Puts a recorder before a function as soon as its module is imported, or its file is run as a program."""

from __future__ import annotations

import sys

from ..after_import import after_import, as_it_was
from .main_script import decorated, install_for_scripts
from .recorder import CallRecorder
from .watched_file import WatchedFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _frozen_importlib import ModuleSpec
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any


class Finder:
    """Wraps the function as soon as its module has been imported."""

    def __init__(self, recorder: CallRecorder, watched: WatchedFile | None = None) -> None:
        self.recorder, self.watched = recorder, watched
        """`watched` identifies the module by its file, with any name."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Spec from the other finders, with a loader that wraps functions."""
        if not (self.watched.may_be(name) if self.watched else name == self.recorder.module):
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                if self.watched is None or self.watched.is_at(spec.origin):
                    self.wrap_after(spec.loader, spec.origin)
                return spec
        return None

    def wrap_after(self, loader: Any, origin: str | None) -> None:
        """Once the module has been run; `python -m` asks for its code instead, and gets it with a decorator."""

        def get_code(name: str) -> Any:
            as_it_was(loader)
            return decorated(loader.get_data(origin), str(origin), self.recorder.qualname, script=False)

        after_import(loader, self.recorder.wrap)
        if self.watched is not None and hasattr(loader, "get_data") and str(origin).endswith(".py"):
            loader.get_code = get_code


def install(module: str, qualname: str, most: int, sink: Callable[[str], None]) -> CallRecorder:
    """Record from the module's import on; when it is imported already, from now on.

    most: so many calls are kept. sink: gets each new call as an expression, and `# why` when one cannot be written
    down for a new reason.
    """
    recorder = CallRecorder(module, qualname, most, sink)
    sys.meta_path.insert(0, Finder(recorder))
    if module in sys.modules:
        recorder.wrap(sys.modules[module])
    return recorder


def install_for_file(path: str, qualname: str, most: int, sink: Callable[[str], None]) -> CallRecorder:
    """Record in a user's own interpreter, at its start: the file may be imported by any name, or be the program."""
    recorder = CallRecorder("", qualname, most, sink)
    watched = WatchedFile(path)

    def decorate(raw: Any) -> Any:
        sink("@ loaded __main__")
        return recorder.in_place_of(raw) or raw

    sys.meta_path.insert(0, Finder(recorder, watched))
    install_for_scripts(watched, qualname, decorate)
    return recorder
