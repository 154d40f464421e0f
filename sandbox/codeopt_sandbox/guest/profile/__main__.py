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
from pathlib import Path

from ..request import ProfileRequest
from .line_events import run_lines
from .memory import run_allocated
from .program import ProfiledProgram, claim_streams
from .sampled import run_scalene

TYPE_CHECKING = False

if TYPE_CHECKING:
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
        result = answer(program, request, bundle)
    except Exception as error:
        result = {"error": type(error).__name__}
    if os.getpid() == process:  # not a process that the program forked
        shutil.rmtree(folder, ignore_errors=True)
        text = memoryview(f"\n{request.marker}{json.dumps(result)}\n".encode())
        while text:
            text = text[os.write(output, text) :]
    leave_process(0)


def answer(program: ProfiledProgram, request: ProfileRequest, bundle: Bundle) -> dict[str, Any]:
    if request.mode == "scalene":
        if importlib.util.find_spec("scalene"):
            return run_scalene(program, request, bundle)
        return {"missing": "release" if sys.version_info >= (3, 15) else "scalene"}
    return {"lines": run_lines, "allocated": run_allocated, "callees": run_callees}[request.mode](program)


# Callees of a function outside of its module: which code takes the time, with its source.

MIN_SHARE = 0.02
"""Share of the time below which a function is left out."""
MAX_FUNCTIONS = 12
MAX_LINES = 60
"""Most lines of a function that are reported."""
MAX_LINE_CHARS = 200
"""Most characters of a line."""


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
        if share < MIN_SHARE or file == str(program.path) or (file not in files and file != "~"):
            continue
        found.append([name, files.get(file, ""), line, calls, share, source_of(file, line)])
    found.sort(key=lambda row: -row[4])
    return {"callees": found[:MAX_FUNCTIONS], **ended}


def source_of(file: str, line: int) -> str:
    """The text of the function that begins there; of C code none."""
    lines = linecache.getlines(file)[line - 1 :] if line > 0 else []
    try:
        block = inspect.getblock(lines) if lines else []
    except (SyntaxError, IndexError):
        return ""
    more = ["...\n"] if len(block) > MAX_LINES else []
    return "".join([each[:MAX_LINE_CHARS] for each in [*block[:MAX_LINES], *more]])
