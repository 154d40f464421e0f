"""Exact counts by line and by function, from the interpreter's own events, and their time from samples of other runs.

From 3.12 on the events are those of sys.monitoring, before that of sys.settrace. They distort shares of short lines by
up to twenty points, so that no time is taken from them. A process that the program forks runs without events.
"""

from __future__ import annotations

import dis
import os
import signal
import struct
import sys
import threading
import time
import types
from collections import Counter
from types import CodeType

from ..syscalls import forget_peak, resident_bytes
from .sampler import ready_seconds

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .program import ProfiledProgram


FOLDED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code shown as part of the function around it, where Python 3.12 inlines most of it anyway."""
MONITORED = hasattr(sys, "monitoring")


def run_lines(program: ProfiledProgram) -> dict[str, Any]:
    """Answer for the host: lines and functions of the program, and what the whole of it took."""
    code = program.compile()
    events = LineEvents(code)
    samples = sample_lines(program, code, events.codes)
    os.register_at_fork(after_in_child=events.stop)
    sys.setrecursionlimit(sys.getrecursionlimit() + 50)  # for the frames of this file
    before: list[float] = []

    def clocks() -> list[float]:
        return [time.perf_counter(), ready_seconds(), children_seconds()]

    def begin() -> None:
        forgotten = not program.function or forget_peak(os.getpid())
        before[:] = [resident_bytes(os.getpid())[0 if forgotten else 1], *clocks()]  # so that no old peak exceeds it
        events.start()

    ended = program.measured(code, begin, events.stop)
    if not before:  # the module could not be imported
        return {"lines": [], "functions": [], **ended}
    wall, busy, children = (now - then for now, then in zip(clocks(), before[1:]))
    whole = {"wall_s": wall, "busy_s": max(0.0, busy), "children_s": max(0.0, children)}
    # Not from Scalene, which holds on to what it samples: a program that takes and drops two blocks of 57 MiB five
    # times came out at 343 MiB there, by its own count and by the system's.
    peak = max(0, resident_bytes(os.getpid())[1] - before[0]) / (1 << 20)
    return {**events.result(samples or LineSamples()), **ended, **whole, "peak_mib": peak, "timed": samples is not None}


def children_seconds() -> float:
    """CPU time of child processes that ended, and of living ones with what they started, as a fork server does."""
    times, living = os.times(), 0
    for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208  pathlib is the program's to replace
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123  a process may have any bytes as its name
                fields = file.read().rpartition(b")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == os.getpid():
            living += sum(map(int, fields[11:15]))  # user and system time, its own and that of its children
    return times.children_user + times.children_system + living / os.sysconf("SC_CLK_TCK")


class LineEvents:
    """The events of a program's code, in all of its threads."""

    def __init__(self, code: types.CodeType) -> None:
        self.codes: dict[int, types.CodeType] = {}
        self.hits: dict[int, dict[int, int]] = {}
        """By id of code: line -> number of times that it was reached."""
        self.calls: dict[int, int] = {}
        self.owners: dict[int, tuple[str, int]] = {}
        """Name and first line of the function that a code object is shown under, by its id."""
        self.tool: int | None = None
        self._add(code, (code.co_name, code.co_firstlineno), "")

    def _add(self, code: types.CodeType, owner: tuple[str, int], prefix: str) -> None:
        """Register a code object and all code in it. prefix: of the qualified names in it; code objects know theirs
        from 3.11 on only."""
        key = id(code)
        self.codes[key], self.hits[key], self.calls[key], self.owners[key] = code, {}, 0, owner
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                name = prefix + inner.co_name
                # bit of co_flags that marks functions; a class body or a module does not have it
                below = f"{name}.<locals>." if inner.co_flags & 0x1 else f"{name}."
                self._add(inner, owner if inner.co_name in FOLDED else (name, inner.co_firstlineno), below)

    def start(self) -> None:
        """Begin; nothing is seen of what runs already."""
        if not MONITORED:
            threading.settrace(self._trace)
            sys.settrace(self._trace)
            return
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        events, self.tool = monitoring.events, monitoring.PROFILER_ID
        monitoring.use_tool_id(self.tool, "codeopt")
        for event in (events.PY_START, events.PY_RESUME):
            monitoring.register_callback(self.tool, event, self._enter)
        monitoring.register_callback(self.tool, events.LINE, self._reach)
        for code in self.codes.values():
            monitoring.set_local_events(self.tool, code, events.LINE | events.PY_START | events.PY_RESUME)

    def stop(self) -> None:
        """End it, also in a process that was forked; a second time does nothing."""
        if not MONITORED:
            sys.settrace(None)
            threading.settrace(None)
        elif self.tool is not None:
            monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
            for code in self.codes.values():
                monitoring.set_local_events(self.tool, code, 0)
            monitoring.free_tool_id(self.tool)
            self.tool = None

    def _enter(self, code: types.CodeType, _: int) -> None:
        self.calls[id(code)] += 1

    def _reach(self, code: types.CodeType, line: int) -> None:
        hits = self.hits[id(code)]
        hits[line] = hits.get(line, 0) + 1

    def _trace(self, frame: types.FrameType, _event: str, _: Any) -> Any:
        if id(frame.f_code) not in self.codes:
            return None
        self.calls[id(frame.f_code)] += 1
        return self._local

    def _local(self, frame: types.FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self._reach(frame.f_code, frame.f_lineno)
        return self._local

    def result(self, samples: LineSamples) -> dict[str, Any]:
        """Rows for the host."""
        lines: dict[int, list[Any]] = {}
        functions: dict[tuple[str, int], list[Any]] = {}
        for key, code in self.codes.items():
            spent, hits, calls = samples.spent_ns(key), self.hits[key], self.calls[key]
            if not calls and not hits and not spent:
                continue
            folded = code.co_name in FOLDED
            function = functions.setdefault(self.owners[key], [*self.owners[key], 0, 0])
            function[2] += 0 if folded else calls
            function[3] += sum(spent.values())
            for line in {**hits, **spent}:
                entry = lines.setdefault(line, [line, 0, 0])
                # A function is entered at the line of its `def`, which is no event.
                reached = hits.get(line) or (calls if line == code.co_firstlineno and not folded else 0)
                entry[1], entry[2] = max(entry[1], reached), entry[2] + spent.get(line, 0)
        return {"lines": list(lines.values()), "functions": list(functions.values()), "samples": samples.count}


# Own time by line of a program at its full speed: it runs in a child process whose memory is read now and then.
#
# A signal's handler in Python waits for the end of a loop's turn or for a call, and a trace function slows down each
# line. Memory shows the instruction at work. Where an interpreter keeps it is found by a look at a frame that is known,
# so that no release of Python needs a table.

ENOUGH = 1600
"""Number of samples from which on a program is not repeated: shares are known to 2.5 %."""
MOST_S = 2.5
"""Time after which there is no further run, seconds; 0.4 s are enough on an idle machine."""
END_S = 1.0
"""Time that a program gets to end after its time limit, seconds."""
FIELDS = 16
"""Words of a frame that are looked at."""


class LineSamples:
    """Numbers of samples by code and line, of some runs."""

    def __init__(self) -> None:
        self.found: Counter[tuple[int, int]] = Counter()
        self.runs, self.seconds = 0, 0.0

    @property
    def count(self) -> int:
        """Number of samples with a line of the program."""
        return sum(self.found.values())

    def spent_ns(self, key: int) -> dict[int, int]:
        """Time of the lines of a code object in one run, ns."""
        each = self.seconds / max(1, self.runs) / max(1, self.count) * 1e9
        return {line: round(number * each) for (code, line), number in self.found.items() if code == key}


class ProcessMemory:
    """Memory of a process, which may change while it is read."""

    def __init__(self, pid: int) -> None:
        self.file = os.open(f"/proc/{pid}/mem", os.O_RDONLY)

    def words(self, address: int, count: int) -> tuple[int, ...]:
        """Return whole words from an address; none where there is no memory."""
        try:
            data = os.pread(self.file, 8 * count, address)
        except (OSError, OverflowError):
            return ()
        return struct.unpack(f"{len(data) // 8}Q", data[: len(data) // 8 * 8])


class FrameLayout:
    """Where an interpreter keeps the frames of its threads. Raises OSError, LookupError where that is not found."""

    def __init__(self) -> None:
        import ctypes

        thread_state = ctypes.pythonapi.PyThreadState_Get
        thread_state.restype = ctypes.c_void_p
        self.state: int = thread_state()
        """Address of the main thread's state."""
        self.start = CodeType.__basicsize__
        """Offset of the instructions in a code object, from 3.11 on."""
        memory = ProcessMemory(os.getpid())
        try:
            self.path, self.code, self.back, self.at = self._frame(memory)
            self.scale, self.half = (0, 0) if sys.version_info >= (3, 11) else self._last_instruction(memory)
        finally:
            os.close(memory.file)

    def _frame(self, memory: ProcessMemory) -> tuple[tuple[int, ...], int, int, int]:
        """Words from a thread's state to its frame; of the code, the frame before and the instruction in a frame.

        The frame that is looked for is that of the method which reads the memory, at work below this one.
        """
        inner, outer = ProcessMemory.words.__code__, sys._getframe().f_code
        paths = [(first,) for first in range(64)] + [(first, second) for first in range(64) for second in range(4)]
        for path in paths:
            address = self.state
            for step in path:
                address = (*memory.words(address + 8 * step, 1), 0)[0]
            frame = memory.words(address, FIELDS)
            for code in [at for at, word in enumerate(frame) if word & ~3 == id(inner)]:  # two bits may be a mark
                for back, word in enumerate(frame):
                    before = memory.words(word, code + 1)
                    if before[code:] and before[code] & ~3 == id(outer):
                        for at, word in enumerate(frame):
                            if at != code and 0 <= word - id(inner) - self.start < len(inner.co_code):
                                return path, code, back, at
                        if sys.version_info < (3, 11):
                            return path, code, back, 0
        raise LookupError

    @staticmethod
    def _last_instruction(memory: ProcessMemory) -> tuple[int, int]:
        """Bytes of code for one unit, and the half word, of the last instruction in a frame object, before 3.11."""

        def steps() -> Any:
            yield
            yield

        generator, seen = steps(), []
        for _ in generator:
            words = memory.words(id(generator.gi_frame), 4 * FIELDS)
            halves = struct.unpack(f"{2 * len(words)}i", struct.pack(f"{len(words)}Q", *words))
            seen.append((generator.gi_frame.f_lasti, halves))
        (first, before), (second, after) = seen
        for half, pair in enumerate(zip(before, after)):
            for scale in (1, 2):
                if pair == (first // scale, second // scale):
                    return scale, half
        raise LookupError

    def threads(self, memory: ProcessMemory) -> list[int]:
        """Addresses of the states of all threads: each new one is put before the others."""
        found: list[int] = []
        state = self.state
        while state and len(found) < 64:
            found.append(state)
            state = (*memory.words(state, 1), 0)[0]
        return found

    def frames(self, memory: ProcessMemory, state: int) -> Iterator[tuple[int, int]]:
        """Yield identity of the code and offset of the instruction of a thread's frames, the innermost first."""
        address = state
        for step in self.path:
            address = (*memory.words(address + 8 * step, 1), 0)[0]
        # maximum number of frames below the program's own
        for _ in range(1000):
            frame = memory.words(address, FIELDS)
            if len(frame) < FIELDS:
                return
            code = frame[self.code] & ~3
            if self.scale:
                word = (*memory.words(address + self.half // 2 * 8, 1), 0)[0]
                yield code, (word >> self.half % 2 * 32 & 0xFFFFFFFF) * self.scale
            else:
                yield code, frame[self.at] - code - self.start
            address = frame[self.back]


def sample_lines(program: ProfiledProgram, code: CodeType, codes: Mapping[int, CodeType]) -> LineSamples | None:
    """Run the program in child processes until there are enough samples. None: no memory can be read."""
    lines = {key: lines_of(each) for key, each in codes.items()}
    found, begun = LineSamples(), time.perf_counter()
    try:
        layout = FrameLayout()
        # maximum number of runs of a short program
        while found.count < ENOUGH and found.runs < 50 and time.perf_counter() - begun < MOST_S:
            sample_run(program, code, layout, lines, found)
    except (ImportError, OSError, LookupError):
        return None
    return found


def lines_of(code: CodeType) -> dict[int, int]:
    """Lines by offset; an instruction without one belongs to the line before it."""
    starts, line, found = dict(dis.findlinestarts(code)), code.co_firstlineno, {}
    for offset in range(0, len(code.co_code), 2):
        line = starts.get(offset) or line
        found[offset] = line
    return found


def sample_run(
    program: ProfiledProgram,
    code: CodeType,
    layout: FrameLayout,
    lines: Mapping[int, Mapping[int, int]],
    found: LineSamples,
) -> None:
    """Add the samples of one run. Raises OSError where the child's memory cannot be read."""
    begins, tell = os.pipe()
    opened, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(go)
            os.read(opened, 1)  # a short program ends before its memory is opened, which then cannot be read
            program.measured(code, lambda: os.write(tell, b"."))
        finally:
            os._exit(0)
    os.close(tell)
    os.close(opened)
    memory = None
    try:
        try:
            memory = ProcessMemory(pid)
        finally:
            os.close(go)
        has_begun = os.read(begins, 1)  # a function's module is imported before
        start, waits = time.perf_counter(), waiting_codes()
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            # wait between two samples, seconds; with the kernel's slack about 0.25 ms
            time.sleep(0.0002)
            for state in layout.threads(memory) if has_begun else ():
                for at, (key, offset) in enumerate(layout.frames(memory, state)):
                    if offset in lines.get(key, ()):
                        found.found[key, lines[key][offset]] += 1
                    if key in lines or (at == 0 and key in waits):
                        break
            if time.perf_counter() - start > program.max_seconds + END_S:
                os.kill(pid, signal.SIGKILL)
        found.seconds += time.perf_counter() - start
        found.runs += 1
    finally:
        os.close(begins)
        if memory is not None:
            os.close(memory.file)


def waiting_codes() -> set[int]:
    """Identities of the functions in which a thread waits for another of its program: that one has the time."""
    spaces = [vars(threading), *(vars(each) for each in vars(threading).values() if isinstance(each, type))]
    functions = [each for space in spaces for each in space.values()]
    return {
        id(each.__code__)
        for each in functions
        if getattr(each, "__module__", "") == "threading" and hasattr(each, "__code__")
    }
