"""Memory by line of a function's module: held when its calls hold most, and allocated for a moment, by tracemalloc."""

from __future__ import annotations

import signal
import sys
import tracemalloc

from .own_time import SETUP_S
from .program import within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from .program import ProfiledProgram
    from .request import ProfileRequest

MAX_FRAMES = 6
"""Depth below a line of the module to which a library's allocations count as that line's."""
COUNT_STEP = 1.25
"""Growth factor after which blocks are counted again, which is what takes longest."""
MIN_COUNTED_BYTES = 4096
"""Memory below which no blocks are counted, bytes."""

reset_peak = getattr(tracemalloc, "reset_peak", lambda: None)  # of Python 3.9; before, only ever higher peaks are seen
get_traced_memory = tracemalloc.get_traced_memory


class Books:
    """Kept from line event to line event of one file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.held: dict[int, int] = {}
        """Line -> bytes that it had allocated and that were alive at the last count."""
        self.moment: dict[int, int] = {}
        """Line -> most bytes above what was in use when it began."""
        self.line, self.start, self.counted, self.highest = 0, 0, MIN_COUNTED_BYTES, 0

    def on_event(self, frame: FrameType, event: str, _: Any) -> Any:
        """A line, a call or a return of the file: what came before it belongs to the line before it."""
        if frame.f_code.co_filename != self.path:
            return None
        now, peak = get_traced_memory()
        if self.line and peak > self.highest:
            self.moment[self.line] = max(self.moment.get(self.line, 0), peak - self.start)
        if now > self.counted * COUNT_STEP:
            self.count()
            self.counted = now
        back = frame.f_back
        if event != "return":
            self.line = frame.f_lineno
        else:
            self.line = back.f_lineno if back and back.f_code.co_filename == self.path else 0
        if peak > now:
            reset_peak()
        self.start, after = get_traced_memory()
        self.highest = after if after > self.start + MIN_COUNTED_BYTES else 0
        return self.on_event

    def count(self) -> None:
        """Bytes by owner: the innermost line of the file below which each block was allocated."""
        held: dict[int, int] = {}
        for trace in tracemalloc._get_traces():  # type: ignore[attr-defined]  # take_snapshot() makes objects of them
            line = next((line for file, line in trace[2] if file == self.path), 0)
            if line:
                held[line] = held.get(line, 0) + trace[1]
        self.held = held


def run_allocated(program: ProfiledProgram, request: ProfileRequest) -> dict[str, Any]:
    """Answer for the host: [line, bytes held at the peak, most bytes at one moment] of each line."""
    books = Books(str(program.path))

    def begin() -> None:
        signal.setitimer(signal.ITIMER_REAL, request.max_seconds, 0.1)
        tracemalloc.start(MAX_FRAMES)
        sys.settrace(books.on_event)

    def run() -> str:
        try:
            return program.run(program.compile())
        finally:
            sys.settrace(None)

    program.begin = begin
    hooks = {Books.on_event.__code__, Books.count.__code__}
    ended, stopped = within(SETUP_S, hooks, run)
    sys.settrace(None)
    tracemalloc.stop()
    lines = sorted(books.held.keys() | books.moment.keys())
    rows = [[line, books.held.get(line, 0), books.moment.get(line, 0)] for line in lines]
    return {"allocated": rows, "ended": ended, "stopped": stopped}
