"""A file of the user's with `CALLS`, a list of (args, kwargs), and optionally `BIG` for timing. It runs in the
sandbox."""

from __future__ import annotations

from codeopt.cases import text
from codeopt.errors import UsageError
from codeopt.functions.bench import why, with_calls_file
from codeopt.functions.sources import Ask, Found
from sandbox.calls import Batch


def find(ask: Ask) -> Found:
    """Its calls. Raises UsageError when it does not run or has none."""
    if ask.calls_file is None:
        return Found(())
    source = text(ask.calls_file).decode("utf-8", "replace")
    bench = with_calls_file(ask.bench, source)
    _, lines, run = bench.runner.ask(bench.source, Batch((), "list", seconds=30.0))
    if not lines:
        raise UsageError(f"--calls {ask.calls_file}: {why(run)}")
    middle = lines.index("") if "" in lines else len(lines)
    calls, big = tuple(lines[:middle]), tuple(lines[middle + 1 :])
    if not calls and not big:
        raise UsageError(f"--calls {ask.calls_file} defines no CALLS, a list of (args, kwargs)")
    return Found((("calls_file", calls),), big)
