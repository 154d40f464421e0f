"""One run of tests as evidence of many functions: their time, the tests that call them, and their arguments.

The profiler's clock stops while a call is recorded, so that recording does not count.
"""

from __future__ import annotations

import time

from .recorded_module import Finder, RecordedModule
from .recorder import CallRecorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import cProfile
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any


LEAST_S = 1e-6
"""Time of a function that was seen to begin, and not to end, seconds."""


class PausedClock:
    """Seconds, without those of functions that pause it."""

    def __init__(self) -> None:
        self.lost, self.since = 0.0, 0.0
        """since: the time at which it was stopped; 0: it goes."""

    def __call__(self) -> float:
        return (self.since or time.perf_counter()) - self.lost

    def pausing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, which stops the clock while it runs."""

        def paused(*args: Any) -> Any:
            if self.since:
                return function(*args)
            self.since = time.perf_counter()
            try:
                return function(*args)
            finally:
                self.lost += time.perf_counter() - self.since
                self.since = 0.0

        return paused


def recorders_of(
    functions: Sequence[str], most: int, clock: PausedClock, sink_of: Callable[[str], Callable[[str], None]]
) -> dict[str, CallRecorder]:
    """Return the recorders of functions, which stop the clock while they record.

    Args:
        functions: Each as `module qualname`.
        most: Maximum number of calls of each that are kept.
        clock: Clock of the profiler.
        sink_of: Makes the callback that keeps the calls of one function.
    """
    recorders = {}
    for named in functions:
        module, _, qualname = named.partition(" ")
        recorders[named] = CallRecorder(module, qualname, most, sink_of(named))
        recorders[named].note = clock.pausing(recorders[named].note)  # type: ignore[method-assign]
    return recorders


def finder_of(recorders: Iterable[CallRecorder]) -> Finder:
    """Return a finder that puts the recorders before their functions."""
    modules: dict[str, list[CallRecorder]] = {}
    for recorder in recorders:
        modules.setdefault(recorder.module, []).append(recorder)
    return Finder([*map(RecordedModule, modules.values())])


class BesideTimes:
    """Sums of the reports of threads and processes other than the tests' own."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, int], tuple[float, float]] = {}
        """Seconds with all callees, and own seconds."""
        self.tests: dict[tuple[str, int], list[str]] = {}

    def add(self, place: tuple[str, int], total: float, own: float, test: str) -> None:
        before, before_own = self.seconds.get(place, (0.0, 0.0))
        self.seconds[place] = before + total, before_own + own
        if test:
            self.tests.setdefault(place, []).append(test)


class TracedFunctions:
    """The functions of some files under a profiler: their time, and the tests that call them."""

    def __init__(self, profiler: cProfile.Profile, files: Sequence[str]) -> None:
        self.profiler, self.files = profiler, frozenset(files)
        self.counts: dict[tuple[str, int], int] = {}
        self.reached: dict[tuple[str, int], list[str]] = {}

    def look(self, test: str) -> None:
        """Note which functions were called since the last time, by a test."""
        for place, (count, _, _) in self.figures().items():
            if count > self.counts.get(place, 0):
                self.counts[place] = count
                self.reached.setdefault(place, []).append(test)

    def figures(self) -> dict[tuple[str, int], tuple[int, float, float]]:
        """Calls, seconds with all that is called, and own seconds with built-ins, by file and first line."""
        found = {}
        for entry in self.profiler.getstats():
            code = entry.code
            # a module begins where the first line's function does
            if not isinstance(code, str) and code.co_filename in self.files and code.co_name != "<module>":
                place = (code.co_filename, code.co_firstlineno)
                found[place] = (entry.callcount, entry.totaltime, entry.inlinetime)
        return found

    def rows(self, beside: BesideTimes) -> list[list[Any]]:
        """Return file, first line, seconds with all callees, own seconds, tests.

        The parameter has the sums of other threads and processes.
        """
        figures = self.figures()
        rows = []
        for place in dict.fromkeys([*figures, *beside.seconds]):
            _, total, own = figures.get(place, (0, 0.0, 0.0))
            more, more_own = beside.seconds.get(place, (0.0, 0.0))
            tests = dict.fromkeys([*self.reached.get(place, []), *beside.tests.get(place, [])])
            rows.append([*place, total + more or LEAST_S, own + more_own, list(tests)])
        return rows
