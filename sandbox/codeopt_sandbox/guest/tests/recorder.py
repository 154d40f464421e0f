"""Records real calls of one function while a program, a test run or doctests use it.

It runs in the sandbox, with existing tests and doctests. In `codeopt record` it runs with the user's own command, in
the interpreter that the command starts. Its pickles are loaded in a sandbox only.
"""

from __future__ import annotations

import _thread
import os

from .wrappers import Schedule, wrapper
from .writing import LARGE, RECORDED, write_blocker, write_call, write_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from .object_history import ClassHistory

MAX_CALL_CHARS = 1_000_000
"""Characters of a call."""
MAX_TOTAL_CHARS = 1_500_000
"""Characters of all calls after which no more are kept."""
MIN_KEPT_CALLS = 12
"""Minimum number of calls that are kept, of any length."""


class CallRecorder:
    """Stands before the function, passes everything on, and keeps a bounded, varied sample; from any thread."""

    def __init__(self, module: str, qualname: str, most: int, sink: Callable[[str], None]) -> None:
        self.module, self.qualname, self.most, self.sink = module, qualname, most, sink
        self.seen: set[str] = set()
        self.shapes: dict[tuple[tuple[type, int], ...], int] = {}
        self.schedule = Schedule()
        self.size = 0
        self.lost: dict[str, int] = {}
        """Number of calls that cannot be recorded, by reason."""
        self.of_class = False
        """A class method: the class is no argument of the call."""
        self.histories: Sequence[ClassHistory] = ()
        self.inside: set[int] = set()
        """Threads within the function: of a recursion the outermost call is written down."""
        self.writing = False
        self.after_fork()
        os.register_at_fork(after_in_child=self.after_fork)

    def after_fork(self) -> None:
        """The other threads are gone, and with them what they held."""
        self.lock = _thread.RLock()
        self.inside &= {_thread.get_ident()}
        self.writing = False

    def note(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> NotedCall:
        """Write down a call before it is made: the function may change its arguments."""
        return NotedCall(self, self.text(function, args, kwargs), (args, kwargs))

    def text(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Text of a call that is kept; empty for any other."""
        with self.lock:
            if self.writing:  # an argument's own code, by which it is pickled, calls the function
                return ""
            self.writing = True
            try:
                largest = self.schedule.taken(function, args, kwargs)
                if self.of_class:
                    function, args = function.__get__(args[0]), args[1:]
                if not largest and len(self.seen) >= (self.most if self.size < MAX_TOTAL_CHARS else MIN_KEPT_CALLS):
                    return ""
                shape = tuple(_shape(value) for value in (*args, *kwargs.values()))
                number = self.shapes[shape] = self.shapes.get(shape, 0) + 1
                if not largest and number % max(1, 1 << number.bit_length() >> 4):
                    return ""  # all of the first 16 are kept, then about 8 each time it doubles
                text = write_call(args, kwargs, self.history)
                if text is None or len(text) >= MAX_CALL_CHARS:
                    self.lose(function, args, kwargs, text)
                elif text not in self.seen:
                    self.seen.add(text)
                    self.size += len(text)
                    return text
                return ""
            finally:
                self.writing = False

    def lose(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], text: str | None) -> None:
        """Count a call that has no text, or too long a one; to find out why takes time, and is done for the first."""
        if text is None and sum(self.lost.values()) < 20:
            why = write_blocker(function, args, kwargs)
        else:
            why = LARGE if text is not None else next(iter(self.lost))
        if why not in self.lost:
            self.sink("# " + why)
        self.lost[why] = self.lost.get(why, 0) + 1

    def history(self, value: Any) -> list[bytes]:
        """Constructor and method calls of an object; empty where they are not known."""
        return next((steps for history in self.histories if (steps := history.of(value))), [])

    def put_before(self, module: ModuleType) -> tuple[Any, str]:
        """Put it before the function of a module that was just imported; returns where that is found, and its name
        there."""
        if not self.module:
            self.sink("@ loaded " + module.__name__)
        owner: Any = module
        *classes, name = self.qualname.split(".")
        for part in classes:
            owner = getattr(owner, part)
        new = self.in_place_of(vars(owner).get(name))
        if new is not None:
            setattr(owner, name, new)
        return owner, name

    def in_place_of(self, raw: Any) -> Any:
        """Attribute of a class or module with the recorder before it; None where there is nothing to call."""
        if type(raw).__name__ == "cached_property":
            raw.func = wrapper(self, raw.func)
            return raw
        if isinstance(raw, property):
            return property(wrapper(self, raw.fget), raw.fset, raw.fdel, raw.__doc__)
        if isinstance(raw, staticmethod):
            return staticmethod(wrapper(self, raw.__func__))
        if isinstance(raw, classmethod):
            self.of_class = True
            return classmethod(wrapper(self, raw.__func__))
        return wrapper(self, raw) if callable(raw) else None


class NotedCall:
    """A call that is being made. It is written down at its end, with what it gave: that may depend on more than its
    arguments."""

    result: Any = None

    def __init__(self, recorder: CallRecorder, text: str, arguments: tuple[Any, Any]) -> None:
        self.recorder, self.text, self.arguments = recorder, text, arguments

    def __enter__(self) -> NotedCall:
        return self

    def __exit__(self, kind: type[BaseException] | None, *about: object) -> None:
        if self.text:
            end = write_end(self.result, kind, self.arguments)
            self.recorder.sink(self.text + (RECORDED + end if end else ""))


def _shape(value: Any) -> tuple[type, int]:
    """Return type and size class of a value. Values with equal ones count as similar."""
    try:
        size = len(value).bit_length()
    except Exception:
        size = 0
    return type(value), size
