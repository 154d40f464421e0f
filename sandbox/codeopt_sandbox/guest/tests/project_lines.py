"""Times the lines of some functions of a project while a user's own command runs.

Samples cannot say which line is at work: since Python 3.10 a signal's handler runs where a loop goes back or a function
begins, and nowhere else. So each line of the functions that matter is timed, which makes short lines look longer; the
shares are for use within a function, whose own share the samples know.
"""

from __future__ import annotations

import json
import sys
import threading
from time import perf_counter

from .process_end import ProcessEnd
from .project_time import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

AT_ONCE = 1 << 18
"""Events between two writes: a run that is ended for its time has written what it saw."""


class LineTimes:
    """Adds up seconds by line; what a timed function calls counts for itself where it is timed, too."""

    def __init__(self, root: str, spans: list[tuple[str, int, int]], sink: Callable[[str], None]) -> None:
        self.places, self.spans, self.sink = Places(root), spans, sink
        self.wanted: dict[CodeType, str] = {}
        self.seconds: dict[tuple[str, int], float] = {}
        self.times: dict[tuple[str, int], int] = {}
        """Number of timings of each line."""
        self.local = threading.local()
        self.events = 0

    def _file(self, code: CodeType) -> str:
        """The file of a code that is to be timed; empty for any other."""
        found = self.wanted.get(code)
        if found is None:
            path, _, line = self.places.of(code)[1:].rpartition(":")
            inside = any(path == file and first <= int(line) <= last for file, first, last in self.spans if path)
            found = self.wanted[code] = path if inside else ""
        return found

    def begin(self, frame: FrameType, event: str, argument: Any) -> Any:
        """The trace function of a thread: at each call."""
        file = self._file(frame.f_code)
        if not file:
            return None
        stack = self.local.__dict__.setdefault("stack", [])
        self._add(stack)
        stack.append((file, frame.f_lineno))
        self.local.last = perf_counter()
        return self.follow

    def follow(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Trace function of a frame: called at each line, and at its end."""
        stack = self.local.stack
        self._add(stack)
        if event == "line":
            stack[-1] = (stack[-1][0], frame.f_lineno)
        elif event == "return":
            stack.pop()
        self.local.last = perf_counter()
        return self.follow

    def _add(self, stack: list[tuple[str, int]]) -> None:
        if stack:
            key = stack[-1]
            self.seconds[key] = self.seconds.get(key, 0.0) + perf_counter() - self.local.last
            self.times[key] = self.times.get(key, 0) + 1
        self.events += 1
        if self.events % AT_ONCE == 0:
            self.write()

    def begin_process(self) -> None:
        """Begin anew in a process that was forked."""
        self.seconds, self.times = {}, {}

    def write(self) -> None:
        """Write the sums since the last time."""
        seconds, self.seconds, times, self.times = self.seconds, {}, self.times, {}
        for key, spent in seconds.items():
            self.sink("@ line " + json.dumps([*key, round(spent, 7), times[key]]))


def install(root: str, spans: list[tuple[str, int, int]], sink: Callable[[str], None]) -> None:
    """Start timing lines in all threads."""
    times = LineTimes(root, spans, sink)
    ProcessEnd(times.begin_process, times.write).install()
    threading.settrace(times.begin)
    sys.settrace(times.begin)
