"""Own time by line and by function from the interpreter's own events.

From 3.12 on the events are those of sys.monitoring, before that of sys.settrace. The time between two events belongs to
the line of its thread, with the code that it calls elsewhere. Time before another thread's event does not belong to it,
because only one thread runs at a time. So a line that waits for a thread is not hot because of that thread's work.
"""

from __future__ import annotations

import sys
import threading
import time
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Begin = Callable[[], None]
    Run = Callable[[types.CodeType, set[types.CodeType], Begin], Any]
    Row = list[int]

FOLDED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code shown as part of the function around it, where Python 3.12 inlines most of it anyway."""
get_ident = threading.get_ident
SUSPENDABLE = 0x20 | 0x80 | 0x200
"""Bits of co_flags that mark generators, coroutines and asynchronous generators."""
OPTIMIZED = 0x1
"""Bit of co_flags that marks functions; a class body or a module does not have it."""


class Table:
    """Hits and times of each code object."""

    def __init__(self, code: types.CodeType, costs: Sequence[float]) -> None:
        self.line_cost, self.call_cost, self.item_cost = (round(cost) for cost in costs)
        if not hasattr(sys, "monitoring"):  # there each item of a generator in one line is a new line as well
            self.item_cost = max(0, self.item_cost - self.line_cost)
        self.filename = code.co_filename
        self.rows: dict[int, dict[int, Row]] = {}
        """Rows by id of code: line -> [hits, ns]."""
        self.calls: dict[int, int] = {}
        self.seen = 0
        """Time of the last event of any thread, ns."""
        self.codes: dict[int, types.CodeType] = {}
        self.owners: dict[int, tuple[str, int]] = {}
        """Name and first line of the function that a code object is shown under, by its id."""
        self.add(code, (code.co_name, code.co_firstlineno), "")

    def add(self, code: types.CodeType, owner: tuple[str, int], prefix: str) -> None:
        """Register a code object and all code in it. prefix: of the qualified names in it; code objects know theirs
        from 3.11 on only."""
        key = id(code)
        self.codes[key], self.rows[key], self.calls[key], self.owners[key] = code, {}, 0, owner
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                name = prefix + inner.co_name
                below = f"{name}.<locals>." if inner.co_flags & OPTIMIZED else f"{name}."
                self.add(inner, owner if inner.co_name in FOLDED else (name, inner.co_firstlineno), below)

    def row(self, code: types.CodeType, line: int) -> Row:
        """Made when it is first asked for."""
        rows = self.rows[id(code)]
        row = rows.get(line)
        if row is None:
            row = rows[line] = [0, 0]
        return row

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

    def stand_in(self, frame: types.FrameType | None) -> list[types.FrameType]:
        """Begin in the middle of the program, with its frames as they are; returns those, the outermost first."""
        frames = []
        while frame is not None:
            if id(frame.f_code) in self.table.codes:
                frames.append(frame)
            frame = frame.f_back
        for each in reversed(frames):
            self.stack.append(self.row)
            self.row = self.table.row(each.f_code, each.f_lineno)
        return frames[::-1]


def trace_events(
    code: types.CodeType, run: Run, costs: Sequence[float], late: bool = False
) -> tuple[dict[str, list[Any]], Any]:
    """Call `run(code, code of the hooks, what begins)` under the events, which begin at once or `late`; return (table,
    what it returned)."""
    table, monitoring = Table(code, costs), hasattr(sys, "monitoring")
    hooks = {each.__code__ for each in (Table.row, Clock.enter, Clock.reach, Clock.leave)}
    hooks |= {each.__code__ for each in (Monitoring.clock, Monitoring.enter, Monitoring.reach, Monitoring.leave)}
    stops: list[Callable[[], None]] = []

    def begin() -> None:
        if not stops:
            frame = sys._getframe(1) if late else None
            stops.append(Monitoring(table).start(frame) if monitoring else by_settrace(table, hooks, frame))

    if not late:
        begin()
    result = run(code, hooks, begin)
    for stop in stops:
        stop()
    return table.result(), result


class Monitoring:
    """Clock of lines by sys.monitoring, from Python 3.12 on."""

    def __init__(self, table: Table) -> None:
        self.table, self.known = table, table.codes
        self.clocks: dict[int, Clock] = {}
        """Clocks by thread."""
        self.lines = {key: line_of(code) for key, code in table.codes.items()}

    def clock(self) -> Clock:
        ident = get_ident()
        found = self.clocks.get(ident)
        if found is None:
            found = self.clocks[ident] = Clock(self.table)
        return found

    def enter(self, code: types.CodeType, offset: int, *_: Any) -> None:
        """Some events are of all code, not only the program's."""
        if id(code) in self.known:
            self.clock().enter(code, self.lines[id(code)].get(offset, 0))

    def reach(self, code: types.CodeType, line: int) -> None:
        """Count a line of the program's code."""
        self.clock().reach(code, line)

    def leave(self, code: types.CodeType, *_: Any) -> None:
        """Count the end of a function, as `enter` counts its start."""
        if id(code) in self.known:
            self.clock().leave(code)

    def start(self, frame: types.FrameType | None) -> Callable[[], None]:
        """Begin; returns what ends it."""
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        events, tool = monitoring.events, monitoring.PROFILER_ID
        monitoring.use_tool_id(tool, "codeopt")
        for event in (events.PY_START, events.PY_RESUME, events.PY_THROW):
            monitoring.register_callback(tool, event, self.enter)
        for event in (events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND):
            monitoring.register_callback(tool, event, self.leave)
        monitoring.register_callback(tool, events.LINE, self.reach)
        self.clock().stand_in(frame)
        local = events.LINE | events.PY_START | events.PY_RESUME | events.PY_RETURN | events.PY_YIELD
        for code in self.known.values():
            monitoring.set_local_events(tool, code, local)
        monitoring.set_events(tool, events.PY_UNWIND | events.PY_THROW)

        def stop() -> None:
            monitoring.set_events(tool, 0)
            for code in self.known.values():
                monitoring.set_local_events(tool, code, 0)
            monitoring.free_tool_id(tool)

        return stop


def line_of(code: types.CodeType) -> dict[int, int]:
    """Offset -> line."""
    return {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2) if line}


def by_settrace(table: Table, hooks: set[types.CodeType], frame: types.FrameType | None) -> Callable[[], None]:
    """Start line events by sys.settrace, before Python 3.12. Returns a function that ends them."""
    known = table.codes

    def tracer() -> tuple[Clock, Any, Any]:
        clock = Clock(table)
        enter, reach, leave = clock.enter, clock.reach, clock.leave

        def local(frame: types.FrameType, event: str, _: Any) -> Any:
            if event == "line":
                reach(frame.f_code, frame.f_lineno)
            elif event == "return":
                leave(frame.f_code)
            return local

        def start(frame: types.FrameType, _event: str, _: Any) -> Any:
            code = frame.f_code
            if id(code) not in known:
                return None
            enter(code, frame.f_lineno)
            return local

        hooks.update((local.__code__, start.__code__))
        return clock, start, local

    def new_thread(frame: types.FrameType, event: str, argument: Any) -> Any:
        _, start, _ = tracer()
        sys.settrace(start)
        return start(frame, event, argument)

    clock, start, local = tracer()
    hooks.update((new_thread.__code__, tracer.__code__))
    for each in clock.stand_in(frame):
        each.f_trace = local
    threading.settrace(new_thread)
    sys.settrace(start)

    def stop() -> None:
        sys.settrace(None)
        threading.settrace(None)

    return stop
