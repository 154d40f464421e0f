"""Times the lines of some functions of a project while a user's own command runs.

Samples cannot say which line is at work: since Python 3.10 a signal's handler runs where a loop goes back or a function
begins, and nowhere else. So each line of the functions that matter is timed, which makes short lines look longer; the
shares are for use within a function, whose own share the samples know.

A function that has run very many lines is timed as a whole from then on, and line by line again for a moment each few
hundredths of a second: else one busy loop would take the time that the lines of all others need to be seen.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from time import perf_counter, process_time

from .process_end import ProcessEnd
from .project_time import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

AT_ONCE = 1 << 17
"""Events between two writes, and looks at the clock: a run that is ended for its time has written what it saw."""
IN_A_ROW = 200_000
"""Lines of one function that are timed before it is timed as a whole."""
WINDOW = 10_000
"""Lines of it that are timed each time after that."""
AGAIN_S = 0.05
"""Processor time between two such times, seconds."""


class LineTimes:
    """Adds up seconds by line; what a timed function calls counts for itself where it is timed, too."""

    def __init__(
        self, root: str, spans: list[tuple[str, int, int]], sink: Callable[[str], None], limit_s: float
    ) -> None:  # fmt: skip
        self.places, self.spans, self.sink, self.limit_s = Places(root), spans, sink, limit_s
        self.cut = False
        self.wanted: dict[CodeType, str] = {}
        self.left: dict[CodeType, int] = {}
        """Lines of a function that are still timed one by one."""
        self.seconds: dict[tuple[str, int], float] = {}
        """Time by file and line, or the first line negated where a function is timed as a whole."""
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
            self.left[code] = IN_A_ROW
        return found

    def begin(self, frame: FrameType, event: str, argument: Any) -> Any:
        """The trace function of a thread: at each call."""
        if self.cut:
            sys.settrace(None)
            return None
        file = self._file(frame.f_code)
        if not file:
            return None
        stack = self.local.__dict__.setdefault("stack", [])
        self._add(stack)
        stack.append(self._place(file, frame))
        self.local.last = perf_counter()
        return self.follow

    def follow(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Trace function of a frame: called at each line, and at its end."""
        if self.cut:
            frame.f_trace_lines = False
            return None
        stack = self.local.stack
        self._add(stack)
        if event == "line":
            stack[-1] = self._place(stack[-1][0], frame)
        elif event == "return":
            stack.pop()
        self.local.last = perf_counter()
        return self.follow

    def _place(self, file: str, frame: FrameType) -> tuple[str, int]:
        """The line at work, or the function as a whole where enough lines of it were timed."""
        code = frame.f_code
        left = self.left[code]
        if left <= 0:
            frame.f_trace_lines = False
            return file, -code.co_firstlineno
        self.left[code] = left - 1
        return file, frame.f_lineno

    def again(self, number: int, frame: FrameType | None) -> None:
        """A signal's handler: time the lines of what is at work for another moment."""
        while frame is not None:
            if self.wanted.get(frame.f_code) and self.left[frame.f_code] <= 0:
                self.left[frame.f_code] = WINDOW
                frame.f_trace_lines = True
            frame = frame.f_back

    def _add(self, stack: list[tuple[str, int]]) -> None:
        if stack:
            key = stack[-1]
            self.seconds[key] = self.seconds.get(key, 0.0) + perf_counter() - self.local.last
            self.times[key] = self.times.get(key, 0) + 1
        self.events += 1
        if self.events % AT_ONCE == 0:
            self.write()
            if process_time() > self.limit_s:
                self.stop()

    def stop(self) -> None:
        """Time no more lines in this process."""
        self.cut = True
        signal.setitimer(signal.ITIMER_PROF, 0)
        threading.settrace(None)
        self.sink("@ cut 1")

    def arm(self) -> None:
        """Start the timer, which a fork does not inherit."""
        signal.setitimer(signal.ITIMER_PROF, AGAIN_S, AGAIN_S)

    def begin_process(self) -> None:
        """Begin anew in a process that was forked."""
        self.seconds, self.times = {}, {}
        self.arm()

    def end(self) -> None:
        """Stop the timer, which would end the next program after an exec, and write."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.write()

    def hear(self, event: str, arguments: object) -> None:
        """An audit hook."""
        if event == "os.exec":
            self.end()

    def write(self) -> None:
        """Write the sums since the last time."""
        seconds, self.seconds, times, self.times = self.seconds, {}, self.times, {}
        for key, spent in seconds.items():
            self.sink("@ line " + json.dumps([*key, round(spent, 7), times[key]]))


def install(root: str, spans: list[tuple[str, int, int]], limit_s: float, sink: Callable[[str], None]) -> None:
    """Start timing lines in all threads, until the process has had so many seconds of the processor."""
    times = LineTimes(root, spans, sink, limit_s)
    signal.signal(signal.SIGPROF, times.again)
    signal.siginterrupt(signal.SIGPROF, False)
    sys.addaudithook(times.hear)
    ProcessEnd(times.begin_process, times.end).install()
    times.arm()
    threading.settrace(times.begin)
    sys.settrace(times.begin)
