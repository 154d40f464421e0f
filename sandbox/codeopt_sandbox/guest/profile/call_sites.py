"""Time of callees by call site, from which a line's own time follows."""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType
    from typing import Any

    Hook = Callable[[CodeType, FrameType], None]

SUSPENDABLE = 0x20 | 0x80 | 0x200
"""Bits of co_flags that mark generators, coroutines and asynchronous generators."""


class CallSites:
    """Time that each call site of the program waited for functions of the program, ns.

    line_profiler charges a line with all the time until the next line of the same frame, callees included. Less
    what is measured here, that is the line's own time. The hooks run at each entry and exit of a function of the
    program: sys.monitoring events from Python 3.12 on; before that the timer of the C profiler, because
    sys.setprofile would call Python at each call of a builtin too and so slow the lines with many of them.
    """

    def __init__(self, codes: list[CodeType], costs: Sequence[float]) -> None:
        self.codes = codes
        self.line_cost, self.call_cost, self.item_cost = (round(cost) for cost in costs)
        self.filename = codes[0].co_filename
        self.frames: list[FrameType] = []
        self.starts: list[tuple[int, int]] = []
        """(time of the entry, time at which the program continued), ns. The time between is overhead."""
        self.away: dict[tuple[int, int], int] = {}
        """(id of code, offset) -> ns."""
        self.calls: dict[int, int] = {}
        """Number of entries by id of code; a generator is entered at each item."""
        self.suspended: dict[tuple[int, int], int] = {}
        """(id of code, offset of a yield) -> ns between entries and this exit."""
        self.profilers: list[Any] = []
        self.start_profiler: Callable[[], None] = lambda: None
        """Start the hooks in a new thread, where hooks belong to a thread."""

    def hooks(self) -> tuple[Hook, Hook]:
        """(push, pop): what to do at an entry and at an exit. Closures, because their cost is the overhead."""
        frames, starts, away, calls, suspended = self.frames, self.starts, self.away, self.calls, self.suspended
        now, call_cost = time.perf_counter_ns, self.call_cost

        def push(code: CodeType, frame: FrameType) -> None:
            start = now()
            calls[id(code)] = calls.get(id(code), 0) + 1
            frames.append(frame)
            starts.append((start, now()))

        def pop(code: CodeType, frame: FrameType) -> None:
            end = now()
            if not frames or frames[-1] is not frame:
                self.recover(frame)
                return
            frames.pop()
            start, begin = starts.pop()
            if code.co_flags & SUSPENDABLE:
                key = (id(code), frame.f_lasti)
                suspended[key] = suspended.get(key, 0) + end - begin
            if frames:
                key = (id(frames[-1].f_code), frames[-1].f_lasti)
                away[key] = away.get(key, 0) + now() - start + call_cost

        return push, pop

    def recover(self, frame: FrameType) -> None:
        """A frame of the program is left that is not on top: threads took turns, or a signal fell into a hook."""
        if frame.f_code.co_filename is not self.filename:
            return
        for index in range(len(self.frames) - 1, -1, -1):
            if self.frames[index] is frame:
                del self.frames[index], self.starts[index]
                return

    def close(self) -> None:
        """End the measurement before the program is stopped: open calls count up to now.

        Entries do not show how their frames are left. A generator that is stopped on resumption looks like one that
        begins.
        """
        now = time.perf_counter_ns()
        for index in range(len(self.frames) - 1, 0, -1):
            caller = self.frames[index - 1]
            key = (id(caller.f_code), caller.f_lasti)
            self.away[key] = self.away.get(key, 0) + now - self.starts[index][0] + self.call_cost
        self.frames.clear()
        self.starts.clear()

    def start(self) -> set[CodeType]:
        """Begin to listen; return the code of the hooks."""
        push, pop = self.hooks()
        listen = self.listen_to_events if hasattr(sys, "monitoring") else self.listen_to_timer
        return {*codes_of(push, pop), *listen(push, pop)}

    def stop(self) -> None:
        """Listen no longer."""
        for timer in self.profilers:
            timer.disable()
        if hasattr(sys, "monitoring"):
            sys.monitoring.set_events(sys.monitoring.COVERAGE_ID, 0)
            sys.monitoring.free_tool_id(sys.monitoring.COVERAGE_ID)

    def listen_to_events(self, push: Hook, pop: Hook) -> Sequence[CodeType]:
        """Listen to sys.monitoring events, from Python 3.12 on."""
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        getframe, events, register = sys._getframe, monitoring.events, monitoring.register_callback
        tool = monitoring.COVERAGE_ID  # below line_profiler's: called after it, when the callee's line has ended
        monitoring.use_tool_id(tool, "codeopt")

        def enter(code: CodeType, *_: Any) -> None:
            push(code, getframe(1))

        def leave(code: CodeType, *_: Any) -> None:
            pop(code, getframe(1))

        for event in (events.PY_START, events.PY_RESUME):
            register(tool, event, enter)
        for event in (events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND):
            register(tool, event, leave)
        for code in self.codes:
            local = events.PY_START | events.PY_RESUME | events.PY_RETURN | events.PY_YIELD
            monitoring.set_local_events(tool, code, local)
        monitoring.set_events(tool, events.PY_UNWIND)
        return codes_of(enter, leave)

    def listen_to_timer(self, push: Hook, pop: Hook) -> Sequence[CodeType]:
        """Listen to the C profiler's timer, before Python 3.12."""
        import _lsprof
        import dis

        getframe, filename, frames, resume = sys._getframe, self.filename, self.frames, dis.opmap["RESUME"]

        def tick() -> int:
            frame = getframe(1)
            code = frame.f_code
            if code.co_filename is filename:
                at_entry = code.co_code[frame.f_lasti] == resume and not (frames and frames[-1] is frame)
                (push if at_entry else pop)(code, frame)
            return 0

        def start_profiler() -> None:
            self.profilers.append(_lsprof.Profiler(tick, 0.0, False, False))
            self.profilers[-1].enable()

        self.start_profiler = start_profiler
        start_profiler()
        return codes_of(tick)


def codes_of(*functions: Callable[..., Any]) -> list[CodeType]:
    """Code objects of functions."""
    return [function.__code__ for function in functions]
