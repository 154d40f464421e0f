"""Samples where in a whole project a user's own command is at work; or counts how often its functions call each other.

Samples are taken by the process's own clock, as cpu_sampler does it: they distort nothing. Calls are counted in
a run of its own, as a hook on each call makes functions that make many look slower than they are.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time

from .cpu_sampler import CpuSampler
from .process_end import ProcessEnd
from .project_queries import Queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

DEEPEST = 60
"""Frames of the project that are kept of a stack, the innermost ones."""
STANDARD = os.path.realpath(os.path.dirname(os.__file__)) + os.sep  # noqa: PTH120  what a user imports is left alone
LOOKED_AT = 300
"""Calls of a function whose arguments are looked at, the first ones."""
CHANGING = 0x04 | 0x08 | 0x20 | 0x80 | 0x200
"""*args, **kwargs, and generators and coroutines, each of whose steps is a call."""
CONSTANT = (int, float, str, bytes, bool, type(None))
SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset)
"""Types whose length is asked for; any other may run code of the project's."""
HANDS_OVER = frozenset({"get", "put", "recv", "send"})
JOBS = ("multiprocessing/queues.py", "multiprocessing/connection.py")
"""Functions of these files by which a child takes a job and gives its answer: from there on it may be terminated."""
AT_ONCE = 1 << 14
"""Calls between two looks at the clock."""
MAX_TYPES = 4
"""Most types that are reported for one parameter."""
IMPORTING = "<frozen importlib._bootstrap>"


class Places:
    """Places of code: the project's own, and what else is called; by code object, which is asked for at each frame."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.known: dict[CodeType, str] = {}

    def of(self, code: CodeType) -> str:
        """`/path:first line` in the project, else the library's name; empty for Python's own machinery."""
        found = self.known.get(code)
        if found is None:
            found = self.known[code] = self._look(code)
        return found

    def _look(self, code: CodeType) -> str:
        name = code.co_filename
        if name.startswith("<"):
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

    each_s, at_once = 0.001, 512

    def __init__(self, root: str, sink: Callable[[str], None]) -> None:
        super().__init__()
        self.places, self.sink = Places(root), sink

    def key(self, frame: FrameType) -> tuple[tuple[str, ...], int, str, bool]:
        """The project's functions from the outermost in, the innermost's line, the library at work, importing?"""
        stack: list[str] = []
        line, library, importing = 0, "", False
        inner: FrameType | None = frame
        while inner is not None and len(stack) < DEEPEST:
            code = inner.f_code
            place = self.places.of(code)
            if place[:1] == "/":
                line = line or inner.f_lineno
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


def install(root: str, sink: Callable[[str], None]) -> None:
    """Start sampling in the main thread of an interpreter that just starts."""
    sink(f"@ begun {time.process_time():.6f}")
    ProjectTime(root, sink).install()


class CallCounts:
    """Number of calls of each function of the project, by caller."""

    def __init__(self, root: str, sink: Callable[[str], None], seconds: float) -> None:
        self.places, self.sink, self.seconds = Places(root), sink, seconds
        self.cut = False
        self.counts: dict[tuple[CodeType, CodeType | None], int] = {}
        self.kinds: dict[CodeType, dict[tuple[str, str], list[int]]] = {}
        """Types of each function's parameters, with the least and the largest size or number."""
        self.given: dict[CodeType, list[Any]] = {}
        """Samples of each function's arguments: by value where that cannot change, else a unique object."""
        self.queries = Queries(self.places.of, sink)
        self.events = 0

    def begin(self) -> None:
        """Begin anew in a process that was forked: what was counted before is its parent's."""
        self.counts, self.kinds, self.given, self.queries.counts = {}, {}, {}, {}

    def hear(self, frame: FrameType, event: str, argument: Any) -> None:
        """A profile function."""
        if self.cut:
            sys.setprofile(None)
        elif event == "call":
            if frame.f_code.co_name in HANDS_OVER and frame.f_code.co_filename.endswith(JOBS):
                self.write_counts()
            outer = frame.f_back
            key = (frame.f_code, outer.f_code if outer else None)
            counts = self.counts
            counts[key] = counts.get(key, 0) + 1
            seen = self.given.get(frame.f_code)
            if seen is None:
                seen = self.given[frame.f_code] = []
            if len(seen) < LOOKED_AT:
                seen.append(_given(frame))
                _widen(self.kinds.setdefault(frame.f_code, {}), frame)
            self.queries.hear_python(frame)
            self.events += 1
            if self.events % AT_ONCE == 0 and time.process_time() > self.seconds:
                self.stop()
        elif event == "c_call":
            self.queries.hear_c(frame, argument)

    def stop(self) -> None:
        """Count no more calls in this process."""
        self.cut = True
        threading.setprofile(None)
        self.sink("@ cut 1")

    def write_counts(self) -> None:
        """Write the counts since the last time."""
        counts, self.counts = self.counts, {}
        for (code, outer), count in counts.items():
            place = self.places.of(code)
            if place[:1] == "/":
                caller = self.places.of(outer) if outer else ""
                self.sink("@ calls " + json.dumps([place, caller, count]))
        self.queries.write()

    def write(self) -> None:
        """Write the counts at the end of the process."""
        self.write_counts()
        for code, seen in self.given.items():
            place = self.places.of(code)
            if place[:1] == "/" and len(seen) > 1:
                self.sink("@ again " + json.dumps([place, 1 - len(set(seen)) / len(seen)]))
        for code, kinds in self.kinds.items():
            place = self.places.of(code)
            if place[:1] == "/" and kinds:
                self.sink("@ given " + json.dumps([place, [[*key, *bounds] for key, bounds in kinds.items()]]))


def _given(frame: FrameType) -> Any:
    """The arguments of a call that is about to begin. The object of a method stands for itself by its place: one that
    was made in the place of another, which is gone, is taken for that."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = [frame.f_locals.get(name) for name in names]
    if names[:1] in (("self",), ("cls",)):
        values[0] = id(values[0])
    if code.co_flags & CHANGING or not names or not all(type(value) in CONSTANT for value in values):
        return object()
    return tuple((type(value), value) for value in values)


def _widen(kinds: dict[tuple[str, str], list[int]], frame: FrameType) -> None:
    """Add the arguments of a call that is about to begin; values without length or size get no bounds."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        if name in ("self", "cls") or name not in frame.f_locals:
            continue
        value = frame.f_locals[name]
        key = (name, type(value).__name__)
        size = len(value) if type(value) in SIZED else value if type(value) is int and abs(value) < 1 << 53 else None
        bounds = kinds.get(key)
        if bounds is None:
            if sum(known == name for known, _ in kinds) < MAX_TYPES:
                kinds[key] = [] if size is None else [size, size]
        elif size is not None and bounds:
            bounds[:] = [min(bounds[0], size), max(bounds[1], size)]


def count(root: str, seconds: float, sink: Callable[[str], None]) -> None:
    """Count calls in all threads, from here on, until the process has had so many seconds of the processor."""
    counts = CallCounts(root, sink, seconds)
    listen(counts.hear, counts.begin, counts.write)


def listen(hear: Callable[[FrameType, str, Any], None], begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Hear of each call in all threads and processes from here on, until each ends. begin: called in a new process."""

    def stop() -> None:
        sys.setprofile(None)
        end()

    ProcessEnd(begin, stop).install()
    threading.setprofile(hear)
    sys.setprofile(hear)
