"""Exact counts by line and by function, from the interpreter's own events, and their time from samples of other runs.

From 3.12 on the events are those of sys.monitoring, before that of sys.settrace. They distort shares of short lines by
up to twenty points, so that no time is taken from them. A process that the program forks runs without events.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import types

from .line_times import LineSamples, sample_lines
from .memory import forget_peak, memory_mib
from .sampler import ready_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .program import ProfiledProgram

FOLDED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code shown as part of the function around it, where Python 3.12 inlines most of it anyway."""
OPTIMIZED = 0x1
"""Bit of co_flags that marks functions; a class body or a module does not have it."""
MONITORED = hasattr(sys, "monitoring")
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


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
        before[:] = [forget_peak() if program.function else memory_mib()[0], *clocks()]
        events.start()

    ended = program.measured(code, begin, events.stop)
    if not before:  # the module could not be imported
        return {"lines": [], "functions": [], **ended}
    wall, busy, children = (now - then for now, then in zip(clocks(), before[1:]))
    whole = {"wall_s": wall, "busy_s": max(0.0, busy), "children_s": max(0.0, children)}
    peak = max(0, memory_mib()[1] - before[0])
    return {**events.result(samples or LineSamples()), **ended, **whole, "peak_mib": peak, "timed": samples is not None}


def children_seconds() -> float:
    """CPU time of child processes that ended, and of living ones with what they started, as a fork server does."""
    times, living = os.times(), 0
    for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208  pathlib is the program's to replace
        try:
            with open(f"/proc/{name}/stat") as file:  # noqa: PTH123
                fields = file.read().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == os.getpid():
            living += sum(map(int, fields[11:15]))  # user and system time, its own and that of its children
    return times.children_user + times.children_system + living / CLOCK_TICKS


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
                below = f"{name}.<locals>." if inner.co_flags & OPTIMIZED else f"{name}."
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
