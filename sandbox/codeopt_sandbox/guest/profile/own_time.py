"""Own time by line and by function, with line_profiler and the call sites; without it, from the events themselves."""

from __future__ import annotations

import signal
import sys
import threading
import time
import types

from .call_sites import CallSites
from .line_events import FOLDED, trace_events
from .program import forget_peak, memory_mib, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .program import ProfiledProgram
    from .request import ProfileRequest

    Begin = Callable[[], None]
    Close = Callable[[], None]
    Run = Callable[[types.CodeType, set[types.CodeType], Begin, Close], Any]
    Trace = Callable[[types.CodeType, Run, Sequence[float], bool], tuple[dict[str, list[Any]], Any]]
    ByLine = dict[int, int]


SETUP_S = 60.0
"""Time limit for importing the module and making arguments, before the calls are looked at, seconds."""


def run_lines(program: ProfiledProgram, request: ProfileRequest) -> dict[str, Any]:
    """Answer for the host: lines and functions of the program."""
    measure = tracer()
    costs = calibrate(measure)
    sys.setrecursionlimit(sys.getrecursionlimit() + 50)  # for the frames of this file
    before = [memory_mib()[0]]
    late = program.function is not None

    def run(code: types.CodeType, hooks: set[types.CodeType], begin: Begin, close: Close) -> tuple[str, bool]:
        def begin_late() -> None:
            before[0] = forget_peak()
            begin()
            signal.setitimer(signal.ITIMER_REAL, request.max_seconds, 0.1)

        program.begin = begin_late if late else program.begin
        most = SETUP_S if late else request.max_seconds
        return within(most, hooks, lambda: program.run(code), close)

    found, (ended, stopped) = measure(program.compile(), run, costs, late)
    return {**found, "ended": ended, "stopped": stopped, "peak_mib": max(0, memory_mib()[1] - before[0])}


def tracer() -> Trace:
    """line_profiler where this interpreter can import it, which is quicker than events. The call sites that it is read
    with are there from 3.11 on."""
    try:
        import line_profiler  # noqa: F401
    except ImportError:
        return trace_events
    return trace if sys.version_info >= (3, 11) else trace_events


def trace(
    code: types.CodeType, run: Run, costs: Sequence[float], late: bool = False
) -> tuple[dict[str, list[Any]], Any]:
    """Call `run(code made ready, code of the hooks, what begins, what counts the calls that are cut short)` under both
    profilers, which begin at once or `late`; return (table, what it returned)."""
    from line_profiler import LineProfiler

    profiler = LineProfiler()
    codes: list[types.CodeType] = []
    hooks: set[types.CodeType] = set()
    code = register(code, profiler, codes)
    sites = CallSites(codes, costs)

    def begin() -> None:
        if not hooks:
            follow_threads(profiler, sites)
            profiler.enable_by_count()
            hooks.update(sites.start())

    if not late:
        begin()
    result = run(code, hooks, begin, sites.close)
    if hooks:
        profiler.disable_by_count()
        sites.stop()
    return table(profiler.get_stats().timings, sites, code), result


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


def calibrate(measure: Trace) -> tuple[float, float, float]:
    """Overhead of the profilers for a line, a call and an item of a generator in one line, ns: (line, call, item)."""
    code = compile(IDLE, "<idle>", "exec")
    idle: dict[str, Any] = {}
    exec(code, idle)
    bare = {name: min(elapsed(idle[name]) for _ in range(5)) / 1000 for name in ("lines", "calls", "resumed")}
    tables = [measure(code, lambda code, *_: exec(code, {}), (0, 0, 0), False)[0]["lines"] for _ in range(3)]
    own = {line: min(dict((n, ns) for n, _, ns in rows)[line] for rows in tables) / 1000 for line in (6, 9, 11)}
    line = max(0, own[6] - bare["lines"] / 2)
    call = max(0, own[9] - line - bare["calls"] + bare["lines"] / 2)
    return line, call, max(0, own[11] - call - bare["resumed"])


def elapsed(function: Callable[[range], Any]) -> int:
    """Nanoseconds of a thousand turns."""
    start = time.perf_counter_ns()
    function(range(1000))
    return time.perf_counter_ns() - start


def register(code: types.CodeType, profiler: Any, codes: list[types.CodeType]) -> types.CodeType:
    """Tell line_profiler of this code and of all code in it; return the code to run, which it makes unique."""
    inner = (register(c, profiler, codes) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    holder = types.SimpleNamespace(__code__=code.replace(co_consts=tuple(inner)))
    profiler.add_function(holder)
    unique: types.CodeType = holder.__code__
    codes.append(unique)
    return unique


def follow_threads(profiler: Any, sites: CallSites) -> None:
    """Follow new threads from their first call on: before 3.12 tracing belongs to a thread."""
    if hasattr(sys, "monitoring"):
        return

    def first_call(*_: Any) -> None:
        sys.setprofile(None)
        profiler.enable_by_count()
        sites.start_profiler()

    threading.setprofile(first_call)


def table(timings: Mapping[Any, Any], sites: CallSites, top: types.CodeType) -> dict[str, list[Any]]:
    """Own time by line and by function, from line_profiler's time with callees and the time away."""
    codes = {(code.co_firstlineno, code.co_qualname): code for code in sites.codes}
    away, suspended = by_line(sites.away, sites.codes), by_line(sites.suspended, sites.codes)
    owners: dict[int, types.CodeType] = {}
    find_owners(top, top, owners)
    lines: dict[int, list[Any]] = {}
    functions: dict[int, list[Any]] = {}
    for (_, first, name), rows in timings.items():
        code = codes[first, name]
        owner, calls = owners[id(code)], sites.calls.get(id(code), 0)
        times = {line: [hits, ns] for line, hits, ns in rows}
        if hasattr(sys, "monitoring"):
            add_resumed(times, suspended.get(id(code), {}), calls, calls * sites.item_cost)
        function = functions.setdefault(id(owner), [owner.co_qualname, owner.co_firstlineno, 0, 0])
        function[2] += calls if owner is code else 0
        for line, (hits, ns) in times.items():
            own = max(hits, ns - away.get(id(code), {}).get(line, 0) - hits * sites.line_cost)  # 1 ns at the least
            entry = lines.setdefault(line, [line, 0, 0])
            entry[1], entry[2] = max(entry[1], hits), entry[2] + own
            function[3] += own
    return {"lines": list(lines.values()), "functions": list(functions.values())}


def by_line(by_offset: dict[tuple[int, int], int], codes: list[types.CodeType]) -> dict[int, ByLine]:
    """{(id of code, offset): ns} as {id of code: {line: ns}}."""
    result: dict[int, ByLine] = {}
    for code in codes:
        lines: ByLine = {}
        result[id(code)] = lines
        for start, end, line in code.co_lines():
            for offset in range(start, end, 2):
                ns = by_offset.get((id(code), offset), 0)
                if ns and line:
                    lines[line] = lines.get(line, 0) + ns
    return result


def find_owners(code: types.CodeType, owner: types.CodeType, owners: dict[int, types.CodeType]) -> None:
    """Fill {id of code: the code of the function that it is shown under}."""
    owners[id(code)] = owner = owner if code.co_name in FOLDED else code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            find_owners(inner, owner, owners)


def add_resumed(times: dict[int, list[Any]], suspended: ByLine, calls: int, cost: float) -> None:
    """Add what line_profiler misses from Python 3.12 on: a generator resumed in the same line is no new line there."""
    total = sum(suspended.values())
    missed = total - cost - sum(ns for _, ns in times.values())
    for line, ns in suspended.items():
        if missed > 0:
            hits, seen = times.get(line, (0, 0))
            times[line] = [max(hits, calls), seen + missed * ns // total]
