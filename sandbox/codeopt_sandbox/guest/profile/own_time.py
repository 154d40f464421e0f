"""Own time by line and by function, with the memory that the program takes."""

from __future__ import annotations

import signal
import sys
import time

from .line_events import trace_events
from .program import forget_peak, memory_mib, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from collections.abc import Callable
    from typing import Any

    from .program import ProfiledProgram
    from .request import ProfileRequest


SETUP_S = 60.0
"""Time limit for importing the module and making arguments, before the calls are looked at, seconds."""


def run_lines(program: ProfiledProgram, request: ProfileRequest) -> dict[str, Any]:
    """Answer for the host: lines and functions of the program."""
    costs = calibrate()
    sys.setrecursionlimit(sys.getrecursionlimit() + 50)  # for the frames of this file
    before = [memory_mib()[0]]
    late = program.function is not None

    def run(code: types.CodeType, hooks: set[types.CodeType], begin: Callable[[], None]) -> tuple[str, bool]:
        def begin_late() -> None:
            before[0] = forget_peak()
            begin()
            signal.setitimer(signal.ITIMER_REAL, request.max_seconds, 0.1)

        program.begin = begin_late if late else program.begin
        return within(SETUP_S if late else request.max_seconds, hooks, lambda: program.run(code))

    found, (ended, stopped) = trace_events(program.compile(), run, costs, late)
    return {**found, "ended": ended, "stopped": stopped, "peak_mib": max(0, memory_mib()[1] - before[0])}


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
    code = compile(IDLE, "<idle>", "exec")
    idle: dict[str, Any] = {}
    exec(code, idle)
    bare = {name: min(elapsed(idle[name]) for _ in range(5)) / 1000 for name in ("lines", "calls", "resumed")}
    tables = [trace_events(code, lambda code, *_: exec(code, {}), (0, 0, 0))[0]["lines"] for _ in range(3)]
    own = {line: min(dict((n, ns) for n, _, ns in rows)[line] for rows in tables) / 1000 for line in (6, 9, 11)}
    line = max(0, own[6] - bare["lines"] / 2)
    call = max(0, own[9] - line - bare["calls"] + bare["lines"] / 2)
    return line, call, max(0, own[11] - call - bare["resumed"])


def elapsed(function: Callable[[range], Any]) -> int:
    """Nanoseconds of a thousand turns."""
    start = time.perf_counter_ns()
    function(range(1000))
    return time.perf_counter_ns() - start
