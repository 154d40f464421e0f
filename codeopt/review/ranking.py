"""Which of the touched functions come first: those that take longest under the tests of their files."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.core.diagnostic import Shortfall
from codeopt.core.errors import CodeoptError
from codeopt.core.session import Mounts
from codeopt.review.changed_functions import ReviewTarget
from codeopt.workloads.function.harness import open_bench
from codeopt.workloads.function.rank import Times, any_function, function_times
from codeopt.workloads.sandbox_view.view import locate
from codeopt_sandbox import Sandbox
from codeopt_sandbox.errors import SandboxError

Open = Callable[[Mounts], AbstractContextManager[Sandbox]]


@dataclass(frozen=True)
class Ranking:
    """The targets in the order in which they are worth a look."""

    targets: tuple[ReviewTarget, ...] = ()
    shortfalls: tuple[Shortfall, ...] = ()
    """Why tests did not run: what they run is not known then."""


def ranked(
    targets: Sequence[ReviewTarget],
    open_with: Open,
    tests: tuple[Path, ...] = (),
    notify: Callable[[str], None] = lambda line: None,
) -> Ranking:
    """The targets with their share of the time, the longest first; what no test runs keeps its order behind them.

    Programs come first: their cases are made to run them. open_with: opens a sandbox with these mounts.
    """
    by_project: dict[Path, list[Path]] = {}
    for file in dict.fromkeys(target.file for target in targets if target.function):
        by_project.setdefault(locate(file).root, []).append(file)
    seconds: dict[tuple[Path, str], float] = {}
    shortfalls = []
    total = 0.0
    for files in by_project.values():
        notify(f"running the tests of {len(files)} file{'s' * (len(files) != 1)}")
        times = _times(files, open_with, tests)
        shortfalls += [times.shortfall] if times.shortfall else []
        total += max(0.0, times.total)
        seconds |= {(path, name): s for path, found in times.seconds.items() for name, s in found.items()}
    timed = [replace(target, seconds=_finite(seconds.get((target.file, target.function), 0.0))) for target in targets]
    shared = [replace(target, share=_share(target.seconds, total)) for target in timed]
    order = sorted(shared, key=lambda target: (bool(target.function), -target.seconds))
    return Ranking(tuple(order), tuple(shortfalls))


def _times(files: Sequence[Path], open_with: Open, tests: tuple[Path, ...]) -> Times:
    """None, and why, when the tests cannot be run."""
    try:
        one = next(filter(None, map(any_function, files)), None)
        if one is None:
            return Times({}, 0.0, 0)
        with open_bench(one, open_with, tests) as bench:
            return function_times(bench, files)
    except (CodeoptError, SandboxError) as error:
        return Times({}, 0.0, 0, Shortfall("the tests could not be run", str(error)))


def _finite(seconds: float) -> float:
    """What the sandbox says is not believed to be a time of this world."""
    return seconds if math.isfinite(seconds) else 0.0


def _share(seconds: float, total: float) -> float | None:
    return min(1.0, seconds / total) if seconds > 0 and total > 0 else None
