"""The program that profiles another one.

stdin:  a ProfileRequest as one line of JSON, then the program's source (UTF-8) and its input, of the lengths in it.
stdout: a line of the marker and the result as JSON. What the program itself prints goes to /dev/null.

    lines    {"lines": [[line, hits, own ns]], "functions": [[name, line, calls, own ns]], "peak_mib": MiB,
              "wall_s": of the run, "busy_s": at work or ready to be, "children_s": CPU seconds of child processes,
              "samples": number that the times are of, "timed": whether memory can be read for them}
    scalene  {"lines": [[line, python, native, peak MiB, growth MiB, copied MiB/s]], "system": share of the CPU time,
              "runs": n, "seconds": of all runs, "memory": if it was measured}, python and native in % of all samples
    callees  {"callees": [[name, module, first line, calls, share, source]]} of calls outside of its module
    allocated {"allocated": [[line, bytes at the peak, most bytes at one moment]]} of a function's calls
    all      "ended": type of the exception that ended the program, "stopped": it ran past max_seconds,
             "missing": "scalene", or "release" where there is none for this Python, "error": type of our own exception

Uses the standard library, and scalene if it is installed.
"""

from __future__ import annotations

import cProfile
import importlib.util
import inspect
import json
import linecache
import os
import shutil
import sys
import tempfile
import tracemalloc
from pathlib import Path

from ..boot import write_all
from ..request import ProfileRequest
from .line_events import run_lines
from .program import ProfiledProgram, claim_streams, run_scalene

TYPE_CHECKING = False

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from ..boot import Bundle


leave_process = os._exit


def main(bundle: Bundle) -> None:
    """Profile the program on standard input."""
    request = ProfileRequest.read(json.loads(sys.stdin.buffer.readline()))
    folder = Path(tempfile.mkdtemp(prefix="profile"))
    program = ProfiledProgram(folder, request)
    program.path.write_bytes(sys.stdin.buffer.read(request.source))
    program.stdin.write_bytes(sys.stdin.buffer.read(request.stdin))
    process, output = os.getpid(), claim_streams()
    try:
        if request.mode != "scalene":
            result = {"lines": run_lines, "allocated": run_allocated, "callees": run_callees}[request.mode](program)
        elif importlib.util.find_spec("scalene"):
            result = run_scalene(program, request, bundle)
        else:
            result = {"missing": "release" if sys.version_info >= (3, 15) else "scalene"}
    except Exception as error:
        result = {"error": type(error).__name__}
    if os.getpid() == process:  # not a process that the program forked
        shutil.rmtree(folder, ignore_errors=True)
        write_all(output, f"\n{request.marker}{json.dumps(result)}\n".encode())
    leave_process(0)


# Callees of a function outside of its module: which code takes the time, with its source.

MAX_LINES = 60
"""Most lines of a function that are reported."""


def run_callees(program: ProfiledProgram) -> dict[str, Any]:
    """Answer for the host: [name, module, first line, calls, share, source] of each; a function in C has no module,
    line or source."""
    profiler = cProfile.Profile()
    ended = program.measured(program.compile(), profiler.enable, profiler.disable)
    profiler.create_stats()
    stats: dict[tuple[str, int, str], tuple[Any, ...]] = profiler.stats
    total = sum(row[2] for row in stats.values()) or 1.0
    files = {getattr(module, "__file__", None): name for name, module in list(sys.modules.items())}
    found = []
    for (file, line, name), (_, calls, own, _, _) in stats.items():
        share = own / total
        # share of the time below which a function is left out
        if share < 0.02 or file == str(program.path) or (file not in files and file != "~"):
            continue
        found.append([name, files.get(file, ""), line, calls, share, source_of(file, line)])
    found.sort(key=lambda row: -row[4])
    return {"callees": found[:12], **ended}


def source_of(file: str, line: int) -> str:
    """The text of the function that begins there; of C code none."""
    lines = linecache.getlines(file)[line - 1 :] if line > 0 else []
    try:
        block = inspect.getblock(lines) if lines else []
    except (SyntaxError, IndexError):
        return ""
    more = ["...\n"] if len(block) > MAX_LINES else []
    # most characters of a line
    return "".join([each[:200] for each in [*block[:MAX_LINES], *more]])


# Memory by line of a function's module: held when its calls hold most, and for a moment.


MIN_COUNTED_BYTES = 4096
"""Memory below which no blocks are counted, bytes."""

reset_peak = getattr(tracemalloc, "reset_peak", lambda: None)  # of Python 3.9; before, only ever higher peaks are seen
get_traced_memory = tracemalloc.get_traced_memory


def run_allocated(program: ProfiledProgram) -> dict[str, Any]:
    """Answer for the host: [line, bytes held at the peak, most bytes at one moment] of each line."""
    books = Books(str(program.path))

    def begin() -> None:
        # depth below a line of the module to which a library's allocations count as that line's
        tracemalloc.start(6)
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
        # growth factor after which blocks are counted again, which is what takes longest
        if now > self.counted * 1.25:
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
