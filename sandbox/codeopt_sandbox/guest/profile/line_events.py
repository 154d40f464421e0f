"""Own time and exact counts by line and by function, from the interpreter's own events.

From 3.12 on the events are those of sys.monitoring, before that of sys.settrace. The time between two events belongs to
the line of its thread, with the code that it calls elsewhere. Time before another thread's event does not belong to it,
because only one thread runs at a time. So a line that waits for a thread is not hot because of that thread's work.
A process that the program forks runs without events, at its full speed; only its CPU time is known.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import types

from .memory import forget_peak, memory_mib
from .sampler import ready_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .program import ProfiledProgram

    Row = list[int]

FOLDED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code shown as part of the function around it, where Python 3.12 inlines most of it anyway."""
SUSPENDABLE = 0x20 | 0x80 | 0x200
"""Bits of co_flags that mark generators, coroutines and asynchronous generators."""
OPTIMIZED = 0x1
"""Bit of co_flags that marks functions; a class body or a module does not have it."""
MONITORED = hasattr(sys, "monitoring")
get_ident = threading.get_ident  # a program may patch it


def run_lines(program: ProfiledProgram) -> dict[str, Any]:
    """Answer for the host: lines and functions of the program, and what the whole of it took."""
    code = program.compile()
    events = LineEvents(Table(code, calibrate()))
    os.register_at_fork(after_in_child=events.stop)
    sys.setrecursionlimit(sys.getrecursionlimit() + 50)  # for the frames of this file
    before: list[float] = []

    def clocks() -> list[float]:
        times = os.times()
        return [time.perf_counter(), ready_seconds(), times.children_user + times.children_system]

    def begin() -> None:
        before[:] = [forget_peak() if program.function else memory_mib()[0], *clocks()]
        events.start()

    ended = program.measured(code, begin, events.stop)
    if not before:  # the module could not be imported
        return {"lines": [], "functions": [], **ended}
    wall, busy, children = (now - then for now, then in zip(clocks(), before[1:]))
    whole = {"wall_s": wall, "busy_s": max(0.0, busy), "children_s": children}
    return {**events.table.result(), **ended, **whole, "peak_mib": max(0, memory_mib()[1] - before[0])}


class Table:
    """Hits and times of each code object."""

    def __init__(self, code: types.CodeType, costs: Sequence[float]) -> None:
        self.line_cost, self.call_cost, self.item_cost = (round(cost) for cost in costs)
        if not MONITORED:  # there each item of a generator in one line is a new line as well
            self.item_cost = max(0, self.item_cost - self.line_cost)
        self.rows: dict[int, dict[int, Row]] = {}
        """Rows by id of code: line -> [hits, ns]."""
        self.calls: dict[int, int] = {}
        self.seen = 0
        """Time of the last event of any thread, ns."""
        self.codes: dict[int, types.CodeType] = {}
        self.owners: dict[int, tuple[str, int]] = {}
        """Name and first line of the function that a code object is shown under, by its id."""
        self._add(code, (code.co_name, code.co_firstlineno), "")

    def _add(self, code: types.CodeType, owner: tuple[str, int], prefix: str) -> None:
        """Register a code object and all code in it. prefix: of the qualified names in it; code objects know theirs
        from 3.11 on only."""
        key = id(code)
        self.codes[key], self.rows[key], self.calls[key], self.owners[key] = code, {}, 0, owner
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                name = prefix + inner.co_name
                below = f"{name}.<locals>." if inner.co_flags & OPTIMIZED else f"{name}."
                self._add(inner, owner if inner.co_name in FOLDED else (name, inner.co_firstlineno), below)

    def row(self, code: types.CodeType, line: int) -> Row:
        """Made when it is first asked for."""
        return self.rows[id(code)].setdefault(line, [0, 0])

    def result(self) -> dict[str, list[Any]]:
        """Rows for the host."""
        lines: dict[int, list[Any]] = {}
        functions: dict[tuple[str, int], list[Any]] = {}
        for key, rows in self.rows.items():
            owner, folded = self.owners[key], self.codes[key].co_name in FOLDED
            if not self.calls[key] and not any(rows.values()):
                continue
            function = functions.setdefault(owner, [*owner, 0, 0])
            function[2] += 0 if folded else self.calls[key]
            for line, (hits, ns) in rows.items():
                if not line or not (hits or folded):  # a `def` line, which a generator is entered in
                    continue
                own = max(hits, ns - hits * self.line_cost)  # 1 ns at the least
                entry = lines.setdefault(line, [line, 0, 0])
                entry[1], entry[2] = max(entry[1], hits), entry[2] + own
                function[3] += own
        return {"lines": list(lines.values()), "functions": list(functions.values())}


class Clock:
    """One thread's: which line the program is in, below which others."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.stack: list[Row | None] = []
        self.row: Row | None = None
        table.seen = time.perf_counter_ns()

    def enter(self, code: types.CodeType, line: int) -> None:
        """Count the start of a function of the program, or the resumption of a generator."""
        now, row, table = time.perf_counter_ns(), self.row, self.table
        if row is not None:
            row[1] += max(0, now - table.seen - table.call_cost)
        table.calls[id(code)] += 1
        self.stack.append(row)
        self.row = table.row(code, line) if code.co_flags & SUSPENDABLE else None
        table.seen = time.perf_counter_ns()

    def reach(self, code: types.CodeType, line: int) -> None:
        now, table = time.perf_counter_ns(), self.table
        if self.row is not None:
            self.row[1] += now - table.seen
        rows = table.rows[id(code)]
        row = self.row = rows[line] if line in rows else table.row(code, line)
        row[0] += 1
        table.seen = time.perf_counter_ns()

    def leave(self, code: types.CodeType) -> None:
        """A function of the program ends, or a generator waits."""
        now, table = time.perf_counter_ns(), self.table
        if self.row is not None:
            cost = table.item_cost if code.co_flags & SUSPENDABLE else 0
            self.row[1] += max(0, now - table.seen - cost)
        self.row = self.stack.pop() if self.stack else None
        table.seen = time.perf_counter_ns()


class LineEvents:
    """The events of a program's code, in all of its threads, as sys.monitoring or sys.settrace gives them."""

    def __init__(self, table: Table) -> None:
        self.table, self.codes = table, table.codes
        self.clocks: dict[int, Clock] = {}
        """Clocks by thread."""
        self.lines: dict[int, dict[int, int]] = {}
        """Lines by offset, by id of code."""
        self.tool: int | None = None

    def start(self) -> None:
        """Begin; nothing is seen of what runs already."""
        if not MONITORED:
            threading.settrace(self._trace)
            sys.settrace(self._trace)
            return
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        events, self.tool = monitoring.events, monitoring.PROFILER_ID
        self.lines = {
            key: {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2) if line}
            for key, code in self.codes.items()
        }
        monitoring.use_tool_id(self.tool, "codeopt")
        for event in (events.PY_START, events.PY_RESUME, events.PY_THROW):
            monitoring.register_callback(self.tool, event, self._enter)
        for event in (events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND):
            monitoring.register_callback(self.tool, event, self._leave)
        monitoring.register_callback(self.tool, events.LINE, self._reach)
        local = events.LINE | events.PY_START | events.PY_RESUME | events.PY_RETURN | events.PY_YIELD
        for code in self.codes.values():
            monitoring.set_local_events(self.tool, code, local)
        monitoring.set_events(self.tool, events.PY_UNWIND | events.PY_THROW)  # these are of all code, and not local

    def stop(self) -> None:
        """End it, also in a process that was forked; a second time does nothing."""
        if not MONITORED:
            sys.settrace(None)
            threading.settrace(None)
        elif self.tool is not None:
            monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
            monitoring.set_events(self.tool, 0)
            for code in self.codes.values():
                monitoring.set_local_events(self.tool, code, 0)
            monitoring.free_tool_id(self.tool)
            self.tool = None

    def _clock(self) -> Clock:
        ident = get_ident()
        found = self.clocks.get(ident)
        if found is None:
            found = self.clocks[ident] = Clock(self.table)
        return found

    def _enter(self, code: types.CodeType, offset: int, *_: Any) -> None:
        if id(code) in self.codes:
            self._clock().enter(code, self.lines[id(code)].get(offset, 0))

    def _reach(self, code: types.CodeType, line: int) -> None:
        self._clock().reach(code, line)

    def _leave(self, code: types.CodeType, *_: Any) -> None:
        if id(code) in self.codes:
            self._clock().leave(code)

    def _trace(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        """The first call of a thread: its next ones have a hook that knows its clock."""
        codes, clock = self.codes, Clock(self.table)
        enter, reach, leave = clock.enter, clock.reach, clock.leave

        def local(frame: types.FrameType, event: str, _: Any) -> Any:
            if event == "line":
                reach(frame.f_code, frame.f_lineno)
            elif event == "return":
                leave(frame.f_code)
            return local

        def start(frame: types.FrameType, _event: str, _: Any) -> Any:
            if id(frame.f_code) not in codes:
                return None
            enter(frame.f_code, frame.f_lineno)
            return local

        sys.settrace(start)
        return start(frame, event, argument)


IDLE = """
def call():
    pass
def lines(items):
    for item in items:
        item
def calls(items):
    for item in items:
        item; call()
def resumed(items):
    sum(item for item in items)
for function in lines, calls, resumed:
    function(range(1000))
"""


def calibrate() -> tuple[float, float, float]:
    """Overhead of the events for a line, a call and an item of a generator in one line, ns: (line, call, item)."""

    def elapsed(function: Callable[[range], Any]) -> int:
        start = time.perf_counter_ns()
        function(range(1000))
        return time.perf_counter_ns() - start

    def traced() -> dict[int, int]:
        events = LineEvents(Table(code, (0, 0, 0)))
        events.start()
        exec(code, {})
        events.stop()
        return {line: ns for line, _, ns in events.table.result()["lines"]}

    code, idle = compile(IDLE, "<idle>", "exec"), {}  # type: tuple[types.CodeType, dict[str, Any]]
    exec(code, idle)
    bare = {name: min(elapsed(idle[name]) for _ in range(5)) / 1000 for name in ("lines", "calls", "resumed")}
    tables = [traced() for _ in range(3)]
    own = {line: min(rows[line] for rows in tables) / 1000 for line in (6, 9, 11)}
    line = max(0, own[6] - bare["lines"] / 2)
    call = max(0, own[9] - line - bare["calls"] + bare["lines"] / 2)
    return line, call, max(0, own[11] - call - bare["resumed"])
