"""Callees of a function outside of its module: which code takes the time, with its source."""

from __future__ import annotations

import cProfile
import inspect
import linecache
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .program import ProfiledProgram

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
