"""Writes down real calls of one function while a program, a test run or doctests use it.

Used in two places: in the sandbox, where existing tests and doctests run with it, and beside the user's own command
in `codeopt record`, in whatever interpreter that starts. What is pickled here is only ever unpickled in a sandbox.
"""

from __future__ import annotations

import sys

from .blame import LARGE, blame
from .writing import write_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _frozen_importlib import ModuleSpec
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType
    from typing import Any

    Function = Callable[..., Any]

MOST_TEXT = 1_000_000
"""Characters of a call."""
ROOM, FEW = 1_500_000, 12
"""Characters of all calls, after which no more are kept; a few are, however long."""


class Recorder:
    """Stands before the function, passes everything on, and keeps a bounded, varied sample."""

    def __init__(self, module: str, qualname: str, most: int, sink: Callable[[str], None]) -> None:
        self.module, self.qualname, self.most, self.sink = module, qualname, most, sink
        self.seen: set[str] = set()
        self.shapes: dict[tuple[tuple[type, int], ...], int] = {}
        self.depth = self.size = 0
        self.lost: dict[str, int] = {}
        """Why calls cannot be written down -> how many."""

    def note(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Write down a call before it is made: the function may change its arguments."""
        if self.depth > 1 or len(self.seen) >= (self.most if self.size < ROOM else FEW):
            return
        shape = tuple(_shape(value) for value in (*args, *kwargs.values()))
        number = self.shapes[shape] = self.shapes.get(shape, 0) + 1
        if number % max(1, 1 << number.bit_length() >> 4):  # all of the first 16, then about 8 each time it doubles
            return
        text = write_call(args, kwargs)
        if text is None or len(text) >= MOST_TEXT:
            self.lose(function, args, kwargs, text)
        elif text not in self.seen:
            self.seen.add(text)
            self.size += len(text)
            self.sink(text)

    def lose(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], text: str | None) -> None:
        """Count a call that has no text, or too long a one; to find out why takes time, and is done for the first."""
        if text is None and sum(self.lost.values()) < 20:
            why = blame(function, args, kwargs)
        else:
            why = LARGE if text is not None else next(iter(self.lost))
        if why not in self.lost:
            self.sink("# " + why)
        self.lost[why] = self.lost.get(why, 0) + 1

    def around(self, function: Any) -> Function:
        """The function with the recorder before it."""

        def recorded(*args: Any, **kwargs: Any) -> Any:
            self.depth += 1
            try:
                self.note(function, args, kwargs)
                return function(*args, **kwargs)
            finally:
                self.depth -= 1

        try:
            recorded.__dict__.update(function.__dict__)
            for name in ("__name__", "__qualname__", "__doc__", "__module__"):
                setattr(recorded, name, getattr(function, name))
        except AttributeError:
            pass
        recorded.__wrapped__ = function  # type: ignore[attr-defined]
        return recorded

    def wrap(self, module: ModuleType) -> None:
        """Put it before the function of a module that was just imported."""
        owner: Any = module
        *classes, name = self.qualname.split(".")
        for part in classes:
            owner = getattr(owner, part)
        raw = vars(owner).get(name)
        if type(raw).__name__ == "cached_property":
            raw.func = self.around(raw.func)
        elif (new := self.in_place_of(raw)) is not None:
            setattr(owner, name, new)

    def in_place_of(self, raw: Any) -> Any:
        """What a class or module holds, with the recorder before it; None where there is nothing to call."""
        if isinstance(raw, property):
            return property(self.around(raw.fget), raw.fset, raw.fdel, raw.__doc__)
        if isinstance(raw, staticmethod):
            return staticmethod(self.around(raw.__func__))
        if isinstance(raw, classmethod):
            return classmethod(_without_class(self, raw.__func__))
        return self.around(raw) if callable(raw) else None


def _without_class(recorder: Recorder, function: Any) -> Function:
    """A class method's function: the class is no argument of the call."""

    def recorded(cls: Any, *args: Any, **kwargs: Any) -> Any:
        recorder.depth += 1
        try:
            recorder.note(function.__get__(cls), args, kwargs)
            return function(cls, *args, **kwargs)
        finally:
            recorder.depth -= 1

    return recorded


def _shape(value: Any) -> tuple[type, int]:
    """What makes two values alike: their type and about how large they are."""
    try:
        size = len(value).bit_length()
    except Exception:
        size = 0
    return type(value), size


class Finder:
    """Wraps the function as soon as its module has been imported."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As the others find it, with a loader that wraps."""
        if name != self.recorder.module:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                self.wrap_after(spec.loader)
                return spec
        return None

    def wrap_after(self, loader: Any) -> None:
        """Once the module has been run."""
        run = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            self.recorder.wrap(module)

        loader.exec_module = exec_module


def install(module: str, qualname: str, most: int, sink: Callable[[str], None]) -> Recorder:
    """Record from the module's import on; when it is imported already, from now on.

    most: so many calls are kept. sink: gets each new call as an expression, and `# why` when one cannot be written
    down for a new reason.
    """
    recorder = Recorder(module, qualname, most, sink)
    sys.meta_path.insert(0, Finder(recorder))
    if module in sys.modules:
        recorder.wrap(sys.modules[module])
    return recorder
