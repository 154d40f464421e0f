"""Counts calls of a project's functions: of a few with what they are given, of a database's driver, and of each test.

From Python 3.12 on sys.monitoring tells of calls, and only of those that count. Before, a hook hears of each call.
Counts are kept in a mapped file for each process, so that none is lost when a process is ended from outside.
"""

from __future__ import annotations

import json
import linecache
import mmap
import os
import sys
import threading
import time

from .sampler import DRIVERS, Places
from .start_and_end import ProcessEnd, hands_over, listen

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType
    from typing import Any

    Place = tuple[str, str]
    """A function's `/path:first line` and its name, as another may begin at its line."""


MOST_CALLS = 1_000_000
"""Calls of a process that are counted, about a second's: then its counts are cut."""
CONSTANT = (int, float, str, bytes, bool, type(None))
SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset)
"""Types whose length is asked for; any other may run code of the project's."""
DEPTH = 2
"""Containers in each other whose items are looked at."""
MAX_ITEMS = 4
"""Most items of a tuple whose types are all named."""
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
        OwnTimes(root, sink)
    counts.listen()


class CallCounts:
    """Number of calls of each counted function by caller, and what its first calls are given."""

    def __init__(self, root: str, folder: str, functions: Sequence[Place], sink: Callable[[str], None]) -> None:
        self.places, self.folder, self.sink = Places(root), folder, sink
        self.numbers = {place: number for number, place in enumerate(functions)}
        self.known: dict[int, tuple[CodeType, int | None]] = {}
        """Number of each function that was called, by the identity of its code; None: it is not counted."""
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
        # generators, coroutines and asynchronous generators
        if code.co_flags & (0x20 | 0x80 | 0x200) and frame.f_lasti >= 0 and (
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
            if not self.slots:  # the first of a function are those of callers without a name
                # pairs of a function and a caller that are counted apart; further callers have no name
                self.counts = mapped(f"{self.folder}/{self.file}", len(self.numbers) + 1024)
                for each in self.numbers.values():
                    self._open(each, None)
            full = len(self.slots) == len(self.counts)
            slot = self.slots[number, 0] if full else self._open(number, caller)
        self.counts[slot] += 1
        seen = self.given[number]
        # calls of a function whose arguments are looked at, the first ones
        if len(seen) < 300:
            seen.append(_given(frame))
            _widen(self.kinds[number], frame)
        self.left -= 1
        if self.left <= 0 and not self.is_over:
            self.sink("@ cut true")
            self.end()

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
    # *args, **kwargs, and generators and coroutines, each of whose steps is a call
    changing = code.co_flags & (0x04 | 0x08 | 0x20 | 0x80 | 0x200)
    if changing or not names or not all(type(value) in CONSTANT for value in values):
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
            # most types that are reported for one parameter
            if sum(known == name for known, _ in kinds) < 4:
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
    """Seconds of each function of the main thread by caller, with built-in functions, by the C profiler, from here on
    and in forked processes."""

    def __init__(self, root: str, sink: Callable[[str], None]) -> None:
        from _lsprof import Profiler

        self.places, self.sink = Places(root), sink
        self.profiler = Profiler(builtins=False)
        ProcessEnd(self.profiler.clear, self.write).install()
        self.profiler.enable(subcalls=True, builtins=False)

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


# Statements that a command sends to its database, by the project line that asks.
#
# A line that repeats the same statement could ask once.


EXECUTE = frozenset({"execute", "executemany"})
"""Methods that run a statement."""
NAMES = ("statement", "query", "sql", "operation")
"""Variables that hold the text of a statement, in libraries on top of a driver."""
WRITES = (
    "insert", "update", "delete", "replace", "merge", "create", "drop", "alter", "begin", "commit", "pragma", "set",
)  # fmt: skip
"""First words of statements that ask nothing."""


class Queries:
    """Number of statements of each line, by its text."""

    def __init__(self, place: Callable[[CodeType], str], sink: Callable[[str], None]) -> None:
        self.place, self.sink = place, sink
        self.kinds: dict[type, bool] = {}
        """True for a type that is a driver's, or derives from one."""
        self.begin()

    def begin(self) -> None:
        """Start from scratch, also in a forked process."""
        self.counts: dict[tuple[str, int], dict[str, int]] = {}
        self.callers: dict[tuple[str, int], dict[str, int]] = {}

    def hear(self, frame: FrameType, event: str, called: Any) -> None:
        """A profile function, as most drivers are written in C."""
        if event == "c_call":
            if called.__name__ in EXECUTE:
                kind = type(getattr(called, "__self__", None))
                if kind not in self.kinds:
                    self.kinds[kind] = any(self._is_name(str(each.__module__)) for each in kind.__mro__)
                if self.kinds[kind]:
                    self._add(frame)
        elif event == "call":
            if frame.f_code.co_name in EXECUTE and self._is_name(str(frame.f_globals.get("__name__", ""))):
                outer = frame.f_back
                if outer is None or not self._is_name(str(outer.f_globals.get("__name__", ""))):
                    self._add(frame)
            elif hands_over(frame.f_code):
                self.write()

    def write(self) -> None:
        """One line for each line that asks, for what was asked since the last time, with who calls it most."""
        counts, callers = self.counts, self.callers
        self.begin()
        for (place, line), texts in counts.items():
            asked = max((count for text, count in texts.items() if not text.lower().startswith(WRITES)), default=0)
            caller, most = max(callers[place, line].items(), key=lambda row: row[1])
            row = [place, line, sum(texts.values()), asked, len(texts), caller, most]
            self.sink("@ query " + json.dumps(row))

    @staticmethod
    def _is_name(module: str) -> bool:
        return module.partition(".")[0] in DRIVERS

    def _add(self, frame: FrameType) -> None:
        asks: FrameType | None = frame
        while asks is not None and self.place(asks.f_code)[:1] != "/":
            asks = asks.f_back
        if asks is not None:
            line = (self.place(asks.f_code), asks.f_lineno)
            callers = self.callers.setdefault(line, {})
            caller = self.place(asks.f_back.f_code) if asks.f_back else ""
            callers[caller] = callers.get(caller, 0) + 1
            texts = self.counts.setdefault(line, {})
            text = text_at(frame)
            # maximum number of different texts that are counted separately for one line
            known = text in texts or len(texts) < 200
            key = text if known else "other"
            texts[key] = texts.get(key, 0) + 1


def text_at(frame: FrameType) -> str:
    """Text of the statement that is about to be run, as far as a variable around it or its line has that."""
    at: FrameType | None = frame
    # number of frames around the call of a driver in which the text is looked for
    for _ in range(4):
        if at is None:
            break
        names = at.f_code.co_varnames
        for name in NAMES:
            if name in names:
                value = at.f_locals.get(name)
                if type(value) is str:
                    return value.lstrip()[:1000]
        at = at.f_back
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    begins = min((found for found in map(line.find, "\"'") if found >= 0), default=-1)
    written = line[begins:].lstrip("\"' \t\n") if begins >= 0 else ""
    return written or f"{frame.f_code.co_filename}:{frame.f_lineno}"


# Test impact: functions of a project that each test calls, by a hook on each call, in a pytest run of its own.
#
# Calls by fixtures count for all tests, as one may be made for many of them; so do calls before the first test.


RUNNER = os.path.join("_pytest", "runner.py")  # noqa: PTH118  what a user imports is left alone
"""End of the path of the file that has this function."""
CALL = "call"


class Reach:
    """Tells of each phase of each test, once it has ended."""

    def __init__(self, root: str, sink: Callable[[str], None]) -> None:
        self.places, self.sink = Places(root), sink
        test, _, phase = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")
        self.test = test if phase == f"({CALL})" else ""
        """Test whose calls these are; a process that a test starts knows it by its environment."""
        self.seen: dict[int, CodeType] = {}
        """Called since the test began, by identity: equal functions of two files are equal as code."""
        self.told: frozenset[int] = frozenset()
        """Calls of these that are written down already."""

    def begin(self) -> None:
        """Start from scratch in a process that was forked."""
        self.seen, self.told = {}, frozenset()

    def hear(self, frame: FrameType, event: str, argument: Any) -> None:
        """A profile function."""
        if event != "call":
            return
        code = frame.f_code
        if hands_over(code):
            self.tell()
        if id(code) in self.seen:
            return
        # function of pytest's that runs one phase of a test: `item`, `when`
        if code.co_name == "call_and_report" and code.co_filename.endswith(RUNNER):
            self.tell()
            self.begin()
            self.test = frame.f_locals["item"].nodeid if frame.f_locals["when"] == CALL else ""
        elif code.co_filename[:1] != "<":  # of eval and exec, which would be kept for each of their calls
            self.seen[id(code)] = code

    def tell(self) -> None:
        """One line for what was called since the last one. From where it hands over a job, a child may be ended."""
        new = [code for key, code in list(self.seen.items()) if key not in self.told]
        self.told = frozenset(self.seen)
        places = [place for place in map(self.places.of, new) if place[:1] == "/"]
        if places:
            self.sink("@ reach " + json.dumps([self.test, places]))


def install_reach(root: str, sink: Callable[[str], None]) -> None:
    """Record calls in all threads, from here on."""
    reach = Reach(root, sink)
    listen(reach.hear, reach.begin, reach.tell)
