"""Which of the touched functions come first: those that take longest under the tests of their files."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from codeopt.errors import CodeoptError
from codeopt.functions.bench import open_bench
from codeopt.functions.rank import Times, function_times
from codeopt.functions.target import read_function
from codeopt.review.touched import Target
from sandbox import Sandbox
from sandbox.errors import SandboxError

Open = Callable[[tuple[tuple[str, str], ...]], Sandbox]


def ranked(
    targets: Sequence[Target],
    open_with: Open,
    tests: tuple[Path, ...] = (),
    notify: Callable[[str], None] = lambda line: None,
    seconds: float = math.inf,
) -> list[Target]:
    """The targets with their share of the time, the longest first; what no test runs keeps its order behind them.

    Programs come first: their cases are made to run them. open_with: opens a sandbox with these mounts. seconds: that
    this may take about; the files that are left then are taken as they come.
    """
    timed: list[Target] = []
    end = time.monotonic() + seconds
    total = 0.0
    for path, group in groupby(targets, key=lambda target: target.path):
        here = list(group)
        if here[0].function and time.monotonic() < end:
            notify(f"running the tests of {path}")
            times = _times(here[0], open_with, tests)
            total += times.total
            here = [replace(target, seconds=times.seconds.get(target.function, 0.0)) for target in here]
        timed += here
    shared = [replace(target, share=_share(target.seconds, total)) for target in timed]
    return sorted(shared, key=lambda target: (bool(target.function), -target.seconds))


def _times(target: Target, open_with: Open, tests: tuple[Path, ...]) -> Times:
    """None when the tests cannot be run: why is found out, and said, where the function is judged."""
    try:
        with open_bench(read_function(target.file, target.function), open_with, tests) as bench:
            times = function_times(bench)
    except (CodeoptError, SandboxError):
        return Times({}, 0.0, 0)
    return Times({name: s for name, s in times.seconds.items() if math.isfinite(s)}, max(0.0, times.total), times.tests)


def _share(seconds: float, total: float) -> float | None:
    return min(1.0, seconds / total) if seconds > 0 and total > 0 else None
