"""Counts the calls of a few functions of a project, with what they are given, and times all of its functions.

From Python 3.12 on sys.monitoring tells of calls, and only of those that count. Before, a hook hears of each call.
Counts are kept in a mapped file for each process, so that none is lost when a process is ended from outside.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import threading
import time

from .process_end import ProcessEnd, listen
from .queries import Queries
from .sampler import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType
    from typing import Any

    Place = tuple[str, str]
    """A function's `/path:first line` and its name, as another may begin at its line."""

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
SUSPENDABLE = 0x20 | 0x80 | 0x200
"""Generators, coroutines and asynchronous generators."""
TOOL = 4
"""Identifier of our own with sys.monitoring, which profilers, debuggers and coverage do not use."""
MONITORING: Any = getattr(sys, "monitoring", None)


def install(root: str, folder: str, functions: Sequence[Place], asks: bool, sink: Callable[[str], None]) -> None:
    """Count calls in all threads and processes from here on.

    Args:
        root: Folder of the project.
        folder: Folder in it for the counts.
        functions: Functions that are counted.
        asks: Count queries of a database, in place of times: one profile function excludes the other.
        sink: Writes a line.
    """
    counts = CallCounts(root, f"{root}/{folder}", functions, sink)
    ProcessEnd(counts.begin, counts.end).install()
    if asks:
        queries = Queries(counts.places.of, sink)
        listen(queries.hear, queries.begin, queries.write)
    else:
        times = OwnTimes(root, sink)
        times.install()
        counts.at_end.append(times.write)
    counts.listen()


class CallCounts:
    """Number of calls of each counted function by caller, and what its first calls are given."""

    def __init__(self, root: str, folder: str, functions: Sequence[Place], sink: Callable[[str], None]) -> None:
        self.places, self.folder, self.sink = Places(root), folder, sink
        self.numbers = {place: number for number, place in enumerate(functions)}
        self.known: dict[int, tuple[CodeType, int | None]] = {}
        """Number of each function that was called, by the identity of its code; None: it is not counted."""
        self.at_end: list[Callable[[], None]] = []
        """Called where counting ends."""
        self.begin()

    def begin(self) -> None:
        """Start from scratch in a forked process: earlier counts belong to its parent."""
        self.file = f"{os.getpid()}-{time.time_ns()}.counts"
        self.slots: dict[tuple[int, int], int] = {}
        """Places of the counts of a function and its caller by the caller's identity, in the file; 0 for none."""
        self.kinds: list[dict[tuple[str, str], list[int]]] = [{} for _ in self.numbers]
        """Types of each function's parameters, with the least and the largest size or number."""
        self.given: list[list[Any]] = [[] for _ in self.numbers]
        """Samples of each function's arguments: by value where that cannot change, else a unique object."""
        self.left = MOST_CALLS
        self.is_over = False

    def listen(self) -> None:
        """Hear of calls in all threads from here on."""
        if MONITORING is None:
            threading.settrace(self.hear)
            sys.settrace(self.hear)
        else:
            MONITORING.use_tool_id(TOOL, "codeopt")
            MONITORING.register_callback(TOOL, MONITORING.events.PY_START, self.start)
            MONITORING.set_events(TOOL, MONITORING.events.PY_START)

    def start(self, code: CodeType, _: int) -> Any:
        """A callback of sys.monitoring, which is not called again for functions that are not counted."""
        number = self.number(code)
        if number is None or self.is_over:
            return MONITORING.DISABLE
        return self.called(number, sys._getframe(1))

    def hear(self, frame: FrameType, event: str, _: Any) -> None:
        """A trace function; it is called for steps of generators too."""
        code = frame.f_code
        number = self.number(code)
        if self.is_over:
            sys.settrace(None)
        if number is None or self.is_over:
            return
        # From 3.11 on an instruction RESUME, whose argument tells a start from a step, comes first.
        if code.co_flags & SUSPENDABLE and frame.f_lasti >= 0 and (
            sys.version_info < (3, 11) or code.co_code[frame.f_lasti + 1]
        ):  # fmt: skip
            return
        self.called(number, frame)

    def number(self, code: CodeType) -> int | None:
        """The number of a counted function."""
        found = self.known.get(id(code))
        if found is None:
            if code.co_filename[:1] == "<":  # of eval and exec, which would be kept for each of their calls
                return None
            found = self.known[id(code)] = code, self.numbers.get((self.places.of(code), code.co_name))
        return found[1]

    def called(self, number: int, frame: FrameType) -> None:
        """Count a call of a function that has just begun."""
        caller = frame.f_back.f_code if frame.f_back else None
        slot = self.slots.get((number, id(caller) if caller else 0))
        if slot is None:
            slot = self._slot(number, caller)
        self.counts[slot] += 1
        seen = self.given[number]
        if len(seen) < LOOKED_AT:
            seen.append(_given(frame))
            _widen(self.kinds[number], frame)
        self.left -= 1
        if self.left <= 0 and not self.is_over:
            self.sink("@ cut true")
            self.end()

    def _slot(self, number: int, caller: CodeType | None) -> int:
        """The place of a new pair's count. The first of a function are those of callers without a name."""
        if not self.slots:
            self.counts = mapped(f"{self.folder}/{self.file}", len(self.numbers) + MOST_CALLERS)
            for each in self.numbers.values():
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
        if self.is_over:
            return
        self.is_over = True  # hooks of other threads find it
        if MONITORING is not None:
            MONITORING.set_events(TOOL, 0)
        elif sys.gettrace() == self.hear:
            sys.settrace(None)
        else:
            self.sink("@ lost true")
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
