"""The command as its user gave it, and what the original makes of other ones that are like it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from codeopt.core.revision import Revision
from codeopt.workloads.program.special_check import OutputChecker, refuses_own
from codeopt.workloads.project.changed_command import ChangedCommand
from codeopt.workloads.project.runs import CommandRuns
from codeopt_sandbox.outcome import Case, Run, RunLimits
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import Checker


@dataclass(frozen=True)
class BaselineCommand:
    runs: CommandRuns
    original: Revision
    check: Checker
    case: Case
    """The command with what the original prints and writes."""
    plain: Run

    @property
    def judged(self) -> Collection[str]:
        """Files that differ in two versions, which no changed command has in another form."""
        return self.runs.other.differing if self.runs.other else ()

    def limits(self, factor: float, least_s: float) -> RunLimits:
        """Limits of another command: its time is a multiple of the command's, at least some seconds, and never more
        than the sandbox allows."""
        seconds = min(self.runs.limits.seconds, max(least_s, factor * self.plain.wall_s))
        return replace(self.runs.limits, seconds=seconds)

    def answered(self, changed: ChangedCommand, name: str, limits: RunLimits) -> tuple[Case, Run] | None:
        """Return a mutated command with the original's output and files, and the original's run.

        None if the original fails, or if the user's checker cannot judge the command.
        """
        case = replace(changed.case(name), ignored=self.case.ignored)
        run = run_on(self.runs, self.original, case, limits=limits)
        if run.exit != 0 or run.stop is not None:
            return None
        case = replace(case, expected=run.stdout, written=run.written)
        return None if self._is_unknown_to_checker(case) else (case, run)

    def _is_unknown_to_checker(self, case: Case) -> bool:
        """Return True if the user's checker cannot judge a command.

        Such a checker rejects the original's output, or sees the same arguments although the input comes from changed
        code.
        """
        changes_code = any(path.endswith(".py") for path, _ in case.files or ())
        return isinstance(self.check, OutputChecker) and (changes_code or bool(refuses_own(self.check, case)))
