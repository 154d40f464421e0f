"""The functions of a file that take the time of a user's own command."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.errors import ProgramError, UsageError
from codeopt.core.sanitize import inline
from codeopt.workloads.function.recording.instrumented_run import (
    UsersCommand,
    WatchedRun,
    events,
    run_watched,
    sampler,
)
from codeopt.workloads.sandbox_view.view import locate
from codeopt.workloads.source.functions import Function, read_functions

MOST_SAID = 6


@dataclass(frozen=True)
class RunShares:
    """Shares of the functions in one run."""

    functions: tuple[tuple[str, float], ...]
    """Qualified name and share, 0 to 1, the largest first.

    A share is the function's own CPU time with its library calls, of the CPU time of all processes.
    """
    seconds: float
    """CPU time of all processes together, seconds."""
    program: tuple[str, ...]

    @property
    def first(self) -> str:
        """The name of the function with the largest."""
        return self.functions[0][0]

    @property
    def words(self) -> str:
        """The largest, for people."""
        return ", ".join(f"{name} {share:.0%}" for name, share in self.functions[:MOST_SAID])


def run_shares(path: Path, command: UsersCommand) -> RunShares:
    """Run the command and look which functions are at work. Raises UsageError, ProgramError where none is ever seen."""
    functions = improvable(path)
    if not functions:
        raise UsageError(f"{path} has no function that could be improved")
    module = locate(path)
    run = run_watched(command, module.root, sampler(str(module.root), waits=False))
    seconds, total = _seconds(run, f"/{module.path.relative_to(module.root)}", functions)
    if not seconds:
        program = inline(" ".join(run.program), 200)
        raise ProgramError(
            f"no function of {path} was seen at work in {total:.2f} s of {program}",
            hint="give a run that uses it longer, or name FILE::FUNCTION",
        )
    ranked = sorted(seconds.items(), key=lambda item: -item[1])
    return RunShares(tuple((name, spent / total) for name, spent in ranked), total, run.program)


def improvable(path: Path) -> list[Function]:
    """The functions of a file that can be named as a target."""
    return list(read_functions(path).usable())


def _seconds(run: WatchedRun, file: str, functions: Sequence[Function]) -> tuple[dict[str, float], float]:
    """Return the seconds by function, and of all samples; a function inside another counts for that."""
    seconds: dict[str, float] = defaultdict(float)
    total = 0.0
    for stack, *_, spent in (row for kind, row in events(run.lines) if kind == "stack"):
        total += float(spent)
        path, _, line = stack[-1].rpartition(":") if stack else ("", "", "")
        owner = next((f for f in functions if path == file and f.first_line <= int(line) <= f.last_line), None)
        if owner is not None:
            seconds[owner.qualname] += float(spent)
    return seconds, total
