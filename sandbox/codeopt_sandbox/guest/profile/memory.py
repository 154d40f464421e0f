"""Memory of the process, and by line of a function's module: held when its calls hold most, and for a moment."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from .program import ProfiledProgram

MAX_FRAMES = 6
"""Depth below a line of the module to which a library's allocations count as that line's."""
COUNT_STEP = 1.25
"""Growth factor after which blocks are counted again, which is what takes longest."""
MIN_COUNTED_BYTES = 4096
"""Memory below which no blocks are counted, bytes."""

reset_peak = getattr(tracemalloc, "reset_peak", lambda: None)  # of Python 3.9; before, only ever higher peaks are seen
get_traced_memory = tracemalloc.get_traced_memory


def run_allocated(program: ProfiledProgram) -> dict[str, Any]:
    """Answer for the host: [line, bytes held at the peak, most bytes at one moment] of each line."""
    books = Books(str(program.path))

    def begin() -> None:
        tracemalloc.start(MAX_FRAMES)
        sys.settrace(books.on_event)

    ended = program.measured(program.compile(), begin, lambda: sys.settrace(None))
    tracemalloc.stop()
    lines = sorted(books.held.keys() | books.moment.keys())
    return {"allocated": [[line, books.held.get(line, 0), books.moment.get(line, 0)] for line in lines], **ended}


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
            self.held = self.count()
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

    def count(self) -> dict[int, int]:
        """Bytes by owner: the innermost line of the file below which each block was allocated."""
        held: dict[int, int] = {}
        for trace in tracemalloc._get_traces():  # type: ignore[attr-defined]  # take_snapshot() makes objects of them
            line = next((line for file, line in trace[2] if file == self.path), 0)
            if line:
                held[line] = held.get(line, 0) + trace[1]
        return held


def forget_peak() -> float:
    """Reset the memory peak and return the present memory, MiB.

    If the kernel does not allow it, return the old peak, so that nothing exceeds it.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return memory_mib()[1]
    return memory_mib()[0]


def memory_mib() -> tuple[float, float]:
    """Memory of this process in MiB, (now, highest).

    Not from Scalene, which holds on to what it samples: a program that takes and drops two blocks of 57 MiB five
    times came out at 343 MiB there, by its own count and by the system's.
    """
    status = Path("/proc/self/status")
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines()) if status.exists() else {}
    now, highest = (int(fields.get(name, "0").split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return now, highest
