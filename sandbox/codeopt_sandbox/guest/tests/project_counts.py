"""Counts the calls of a few functions of a project, whose text reports each call, and times all of its functions.

Counts are kept in a mapped file for each process, so that none is lost when a process is ended from outside.
"""

from __future__ import annotations

import builtins
import json
import mmap
import os
import sys
import time

from .process_end import ProcessEnd
from .project_queries import Queries
from .project_time import HANDS_OVER, JOBS, Places, listen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

MOST_CALLS = 1_000_000
"""Calls of a process that are counted, about a second's: then its counts are cut."""
LOOKED_AT = 300
"""Calls of a function whose arguments are looked at, the first ones."""
CHANGING = 0x04 | 0x08 | 0x20 | 0x80 | 0x200
"""*args, **kwargs, and generators and coroutines, each of whose steps is a call."""
CONSTANT = (int, float, str, bytes, bool, type(None))
SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset)
"""Types whose length is asked for; any other may run code of the project's."""
DEPTH = 2
"""Containers in each other whose items are looked at."""
MAX_ITEMS = 4
"""Most items of a tuple whose types are all named."""
MAX_TYPES = 4
"""Most types that are reported for one parameter."""
MOST_CALLERS = 1024
"""Pairs of a function and a caller that are counted apart; further callers have no name."""
CALLED = "__codeopt_called__"
"""Name of the built-in function that the text of a counted function calls with the function's number."""


class CallCounts:
    """Number of calls of each counted function by caller, and what its first calls are given."""

    def __init__(self, root: str, folder: str, functions: int, sink: Callable[[str], None]) -> None:
        self.places, self.folder, self.functions, self.sink = Places(root), folder, functions, sink
        self.at_end: list[Callable[[], None]] = []
        """Called where counting ends."""
        self.begin()

    def begin(self) -> None:
        """Start from scratch in a forked process: earlier counts belong to its parent."""
        self.file = f"{os.getpid()}-{time.time_ns()}.counts"
        self.slots: dict[tuple[int, int], int] = {}
        """Places of the counts of a function and its caller by the caller's identity, in the file; 0 for none."""
        self.kinds: list[dict[tuple[str, str], list[int]]] = [{} for _ in range(self.functions)]
        """Types of each function's parameters, with the least and the largest size or number."""
        self.given: list[list[Any]] = [[] for _ in range(self.functions)]
        """Samples of each function's arguments: by value where that cannot change, else a unique object."""
        self.left = MOST_CALLS
        setattr(builtins, CALLED, self.called)

    def called(self, number: int) -> None:
        """Count a call of a function that has just begun."""
        frame = sys._getframe(1)
        outer = frame.f_back
        caller = outer.f_code if outer else None
        slot = self.slots.get((number, id(caller) if caller else 0))
        if slot is None:
            slot = self._slot(number, caller)
        self.counts[slot] += 1
        seen = self.given[number]
        if len(seen) < LOOKED_AT:
            seen.append(_given(frame))
            _widen(self.kinds[number], frame)
        self.left -= 1
        if self.left <= 0:  # threads may pass 0 together
            self.sink("@ cut true")
            self.end()

    def _slot(self, number: int, caller: CodeType | None) -> int:
        """The place of a new pair's count. The first of a function are those of callers without a name."""
        if not self.slots:
            self.counts = mapped(f"{self.folder}/{self.file}", self.functions + MOST_CALLERS)
            for each in range(self.functions):
                self._open(each, None)
        if len(self.slots) == len(self.counts):
            return self.slots[number, 0]
        return self._open(number, caller)

    def _open(self, number: int, caller: CodeType | None) -> int:
        place = self.places.of(caller) if caller else ""  # which holds the code, so that its identity stays its own
        slot = self.slots.setdefault((number, id(caller) if caller else 0), len(self.slots))
        self.sink("@ slot " + json.dumps([self.file, slot, number, place]))
        return slot

    def end(self) -> None:
        """Count no further calls of the process, and write what its functions were given, once."""
        if getattr(builtins, CALLED) is bool:
            return
        setattr(builtins, CALLED, bool)
        for each in self.at_end:
            each()
        for number, seen in enumerate(self.given):
            if len(seen) > 1:
                self.sink("@ again " + json.dumps([number, 1 - len(set(seen)) / len(seen)]))
        for number, kinds in enumerate(self.kinds):
            if kinds:
                self.sink("@ given " + json.dumps([number, [[*key, *bounds] for key, bounds in kinds.items()]]))


def _given(frame: FrameType) -> Any:
    """Return the arguments of a call that begins. The object of a method is represented by its address.

    A new object at the address of a deleted one is therefore taken for it.
    """
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    held = frame.f_locals
    values = [held.get(name) for name in names]
    if names[:1] in (("self",), ("cls",)):
        values[0] = id(values[0])
    if code.co_flags & CHANGING or not names or not all(type(value) in CONSTANT for value in values):
        return object()
    return tuple((type(value), value) for value in values)


def _widen(kinds: dict[tuple[str, str], list[int]], frame: FrameType) -> None:
    """Add the arguments of a call that is about to begin; values without length or size get no bounds."""
    code, held = frame.f_code, frame.f_locals
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        if name in ("self", "cls") or name not in held:
            continue
        value = held[name]
        key = (name, kind(value))
        size = len(value) if type(value) in SIZED else value if type(value) is int and abs(value) < 1 << 53 else None
        bounds = kinds.get(key)
        if bounds is None:
            if sum(known == name for known, _ in kinds) < MAX_TYPES:
                kinds[key] = [] if size is None else [size, size]
        elif size is not None and bounds:
            bounds[:] = [min(bounds[0], size), max(bounds[1], size)]


def kind(value: Any, depth: int = DEPTH) -> str:
    """Return the name of a value's type, of a container with those of a few items: `list[float]`, `dict[str, int]`."""
    name, held = type(value).__name__, type(value)
    if held not in (list, tuple, dict, set, frozenset) or not value or not depth:
        return name
    some: list[Any] = []
    if held is dict:
        some = list(next(iter(value.items())))
    elif held is tuple and len(value) <= MAX_ITEMS:
        some = list(value)
    kinds = [kind(each, depth - 1) for each in some]
    if not some:
        some = list(value[:: max(1, len(value) // 2)]) if held in (list, tuple) else [next(iter(value))]
        kinds = [" | ".join(sorted({kind(each, depth - 1) for each in some}))]
    return f"{name}[{', '.join(kinds)}]"


def mapped(path: str, numbers: int) -> memoryview:
    """A file of so many integers of 8 bytes, whose values last when the process is ended."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(fd, 8 * numbers)
    try:
        return memoryview(mmap.mmap(fd, 8 * numbers)).cast("Q")
    finally:
        os.close(fd)


class OwnTimes:
    """Seconds of each function of the main thread by caller, with built-in functions, by the C profiler."""

    def __init__(self, root: str, sink: Callable[[str], None]) -> None:
        from _lsprof import Profiler

        self.places, self.sink = Places(root), sink
        self.profiler = Profiler(builtins=False)

    def write(self) -> None:
        """Write them at the end of the process."""
        self.profiler.disable()
        for entry in self.profiler.getstats():
            caller = self._place(entry.code)
            if caller:
                self.sink("@ own " + json.dumps([caller, round(entry.inlinetime, 6)]))
            for below in entry.calls or () if caller else ():
                callee = self._place(below.code)
                if callee:
                    self.sink("@ below " + json.dumps([caller, callee]))

    def _place(self, code: CodeType | str) -> str:
        place = "" if isinstance(code, str) else self.places.of(code)
        return place if place[:1] == "/" else ""

    def install(self) -> None:
        """Begin, also in forked processes."""
        os.register_at_fork(after_in_child=self.profiler.clear)
        self.profiler.enable(subcalls=True, builtins=False)


class QueryCounts(Queries):
    """Queries by a hook on each call, as most drivers are written in C."""

    def hear(self, frame: FrameType, event: str, argument: Any) -> None:
        """A profile function."""
        if event == "c_call":
            self.hear_c(frame, argument)
        elif event == "call":
            self.hear_python(frame)
            if frame.f_code.co_name in HANDS_OVER and frame.f_code.co_filename.endswith(JOBS):
                self.write()


def install(root: str, folder: str, functions: int, asks: bool, sink: Callable[[str], None]) -> None:
    """Count calls in all threads and processes from here on. asks: queries of a database, in place of times."""
    counts = CallCounts(root, f"{root}/{folder}", functions, sink)
    ProcessEnd(counts.begin, counts.end).install()
    if asks:
        queries = QueryCounts(counts.places.of, sink)
        listen(queries.hear, queries.begin, queries.write)
    else:
        times = OwnTimes(root, sink)
        times.install()
        counts.at_end.append(times.write)
