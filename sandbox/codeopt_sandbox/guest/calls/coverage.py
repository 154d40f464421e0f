"""The lines of a function that calls run."""

from __future__ import annotations

import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .function_ref import FunctionRef

settrace = sys.settrace
MAX_STALE_EVENTS = 5_000
"""Number of events of one code object without a new line after which it is left alone until the next call: a traced
loop is 15 times as slow."""


class LineCoverage:
    """Lines of a file that run between `start` and `stop`, until all that are wanted have run."""

    def __init__(self, file: str, wanted: Iterable[int]) -> None:
        self.file = file
        self.missing = set(wanted)
        self.found: set[int] = set()
        self.known: dict[int, int] = {}

    def start(self) -> None:
        """Watch a call."""
        self.known.clear()
        if self.missing:
            settrace(self.frame)

    def stop(self) -> None:
        """Watch nothing."""
        settrace(None)

    def frame(self, frame: types.FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        """A function begins: is it worth a look?"""
        code = frame.f_code
        return self.line if code.co_filename == self.file and self.known.get(id(code), 0) < MAX_STALE_EVENTS else None

    def line(self, frame: types.FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "line":
            if frame.f_lineno in self.found:
                code = id(frame.f_code)
                count = self.known[code] = self.known.get(code, 0) + 1
                frame.f_trace_lines = count < MAX_STALE_EVENTS
            else:
                self.found.add(frame.f_lineno)
                self.missing.discard(frame.f_lineno)
                if not self.missing:
                    settrace(None)
        return self.line


def own_code(function: Any) -> types.CodeType | None:
    """Code of the function below its decorators; None where it is not Python."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return getattr(getattr(function, "__func__", function), "__code__", None)


def first_line(ref: FunctionRef, function: Any) -> int:
    """First line with decorators; 0 where it is not of the module's file."""
    code = own_code(function)
    return code.co_firstlineno if code is not None and code.co_filename == ref.file else 0


def executable(ref: FunctionRef, function: Any) -> list[int]:
    """Lines of a function with code of their own, the `def` line left out."""
    code = own_code(function)
    if code is None:
        return []
    found: set[int] = set()
    todo = [code]
    while todo:
        code = todo.pop()
        found |= {line for line in lines_of(code) if line != code.co_firstlineno}
        todo += [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return sorted(line for line in found if line >= ref.first_line)


def lines_of(code: types.CodeType) -> set[int]:
    if sys.version_info >= (3, 10):
        return {line for _, _, line in code.co_lines() if line}
    import dis

    return {line for _, line in dis.findlinestarts(code) if line}
