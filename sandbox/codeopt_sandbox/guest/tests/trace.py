"""One run of tests as evidence of many functions: their time, the tests that call them, and their arguments.

The profiler's clock stops while a call is recorded, so that recording does not count.
"""

from __future__ import annotations

import sys
import time

from ..after_import import after_import
from .recorder import CallRecorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import cProfile
    from collections.abc import Callable, Sequence
    from types import ModuleType
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


class RecordedFunctions:
    """Functions of modules, not of classes, and their calls; a finder that puts recorders before them."""

    def __init__(
        self, named: Sequence[str], most: int, clock: PausedClock, sink_of: Callable[[str], Callable[[str], None]]
    ) -> None:
        """named: each as `module qualname`. sink_of: makes the callback that keeps the calls of one of them."""
        self.recorders: dict[str, dict[str, CallRecorder]] = {}
        """Recorders by module, then by `module qualname`."""
        for each in named:
            module, _, qualname = each.partition(" ")
            recorder = CallRecorder(module, qualname, most, sink_of(each))
            recorder.note = clock.pausing(recorder.note)  # type: ignore[method-assign]
            self.recorders.setdefault(module, {})[each] = recorder

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Spec from the other finders, with a loader that wraps the functions of the module."""
        for finder in sys.meta_path if name in self.recorders else ():
            spec = finder.find_spec(name, path, target) if finder is not self and hasattr(finder, "find_spec") else None
            if spec is not None and spec.loader is not None:
                after_import(spec.loader, self.wrap)
                return spec
        return None

    def wrap(self, module: ModuleType) -> None:
        """Put the recorders before the functions of a module; its classes are watched once for all of them."""
        first, *others = self.recorders[module.__name__].values()
        first.wrap(module)
        for each in others:
            each.put_before(module)
            each.histories = first.histories

    @property
    def lost(self) -> dict[str, dict[str, int]]:
        """Return the number of calls that cannot be recorded, by function and reason."""
        return {named: each.lost for recorders in self.recorders.values() for named, each in recorders.items()}


class BesideTimes:
    """Sums of the reports of threads and processes other than the tests' own."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, int], tuple[float, float]] = {}
        """Seconds with all callees, and own seconds."""
        self.tests: dict[tuple[str, int], list[str]] = {}

    def add(self, place: tuple[str, int], total: float, own: float, test: str) -> None:
        """Add a part."""
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
