"""Samples where in a whole project a user's own command is at work.

Samples are taken by the process's own clock, as cpu_sampler does it: they distort nothing.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time

from ..boot import ROOT
from .cpu_sampler import CpuSampler
from .process_end import ProcessEnd
from .project_queries import DRIVERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

DEEPEST = 60
"""Frames of the project that are kept of a stack, the innermost ones."""
STANDARD = os.path.realpath(os.path.dirname(os.__file__)) + os.sep  # noqa: PTH120  what a user imports is left alone
HANDS_OVER = frozenset({"get", "put", "recv", "send"})
JOBS = ("multiprocessing/queues.py", "multiprocessing/connection.py")
"""Functions of these files by which a child takes a job and gives its answer: from there on it may be terminated."""
IMPORTING = "<frozen importlib._bootstrap>"


class Places:
    """Places of code: the project's own, and what else is called; by code object, which is asked for at each frame."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.known: dict[int, tuple[CodeType, str]] = {}
        """Keys are identities, as equal functions at the same lines of two files are equal as code."""

    def of(self, code: CodeType) -> str:
        """`/path:first line` in the project, else the library's name; empty for Python's own machinery and ours."""
        found = self.known.get(id(code))
        if found is None:
            found = self.known[id(code)] = code, self._look(code)
        return found[1]

    def _look(self, code: CodeType) -> str:
        name = code.co_filename
        if name.startswith(("<", f"{ROOT}/")):
            return ""
        path = os.path.realpath(name)
        if path.startswith(self.root):
            place = path[len(self.root) :]
            if "-packages" not in place and not place.startswith(".codeopt-watch"):
                return f"/{place}:{0 if code.co_name == '<module>' else code.co_firstlineno}"
        _, found, inside = path.rpartition("-packages" + os.sep)
        if not found and path.startswith(STANDARD):
            found, inside = STANDARD, path[len(STANDARD) :]
        first = inside.partition(os.sep)[0] if found else path.rpartition(os.sep)[2]
        return first[:-3] if first.endswith(".py") else first


class ProjectTime(CpuSampler):
    """Adds up seconds by the project's part of the stack."""

    def __init__(self, root: str, sink: Callable[[str], None]) -> None:
        super().__init__()
        self.places, self.sink = Places(root), sink
        self.asks = False
        """A driver of a database is loaded."""

    def key(self, frame: FrameType) -> tuple[tuple[str, ...], int, str, bool]:
        """The project's functions from the outermost in, the innermost's line, the library at work, importing?

        The line is negative at the end of a loop: the jump there may have no line, and the one before it is given.
        """
        stack: list[str] = []
        line, library, importing = 0, "", False
        inner: FrameType | None = frame
        while inner is not None and len(stack) < DEEPEST:
            code = inner.f_code
            place = self.places.of(code)
            if place[:1] == "/":
                if not stack:
                    line = inner.f_lineno or -line_before(inner)
                if stack[-1:] != [place]:
                    stack.append(place)
            elif not stack:
                importing = importing or code.co_filename == IMPORTING
                library = place or library
            inner = inner.f_back
        return tuple(stack[::-1]), line, library, importing

    def tell(self, key: tuple[tuple[str, ...], int, str, bool], seconds: float) -> None:
        """One line of the log."""
        stack, line, library, importing = key
        self.sink("@ stack " + json.dumps([list(stack), line, library, importing, round(seconds, 6)]))

    def write(self) -> None:
        """Write the sums since the last time, and once that a driver of a database is loaded."""
        super().write()
        if not self.asks and any(name in sys.modules for name in DRIVERS):
            self.asks = True
            self.sink("@ database true")


def line_before(frame: FrameType) -> int:
    """Return the last line of the text before an instruction without a line."""
    found = 0
    for begin, _, line in frame.f_code.co_lines():
        if begin > frame.f_lasti:
            break
        found = line or found
    return found


def install(root: str, sink: Callable[[str], None]) -> None:
    """Start sampling in the main thread of an interpreter that just starts."""
    sink(f"@ begun {time.process_time():.6f}")
    ProjectTime(root, sink).install()


def listen(hear: Callable[[FrameType, str, Any], None], begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Hear of each call in all threads and processes from here on, until each ends. begin: called in a new process."""

    def stop() -> None:
        sys.setprofile(None)
        end()

    ProcessEnd(begin, stop).install()
    threading.setprofile(hear)
    sys.setprofile(hear)
