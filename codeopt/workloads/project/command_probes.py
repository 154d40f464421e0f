"""Comparison of a candidate and the original on mutated commands.

Each of a handful of commands runs once on each side. A command is skipped if the original fails on it, or if its output
varies from run to run.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.revision import Revision
from codeopt.workloads import Checked
from codeopt.workloads._judging import InputPolicy, OutputChecker, refuses_own
from codeopt.workloads.program.differences import Changed, OutputDifference, difference_of
from codeopt.workloads.program.differential import ProbeLoop
from codeopt.workloads.project.changed_command import ChangedCommand, mutated_commands, smaller_commands
from codeopt.workloads.project.runs import CommandRuns
from codeopt_sandbox.guest.request import USUAL, seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Run, RunLimits
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import Checker, judge

MOST = 5
"""Number of changed commands that are enough."""
LONG_MOST = 2
"""Maximum number of compared commands, for a command that takes more than `LONG_S`."""
LONG_S = 3.0
"""Time from which on a command counts as long, seconds."""
LONG_FRUITLESS = 3
"""Number of mutations of a long command without a change in the output, after which no further one is tried.

The output of such a command hides the mutation, and each mutation takes two runs.
"""
TRIED = 10
"""At most, with those that the original fails on."""
LONGER = 3
"""Maximum time of a changed command as a multiple of the command's."""
LEAST_S = 2.0
"""Time that a changed command may take in any case, seconds."""
PATIENCE = 5
"""Maximum time of a draft's run, as a multiple of that of the original's."""
AGAIN = (1, 2)
"""Seeds of further runs of the original: with its first run as many as show what varies in the user's command."""

MOST_SMALLER = 4
"""Smaller commands that are tried to show a difference by one: each takes two runs."""


@dataclass
class CommandProbes(ProbeLoop):
    """Changed commands with what the original makes of them, made as they are needed."""

    given: BaselineCommand = field(kw_only=True)

    def run(self, draft: Revision) -> Checked:
        """Run a draft on the commands: the difference that rejects it, or a caveat with the first one."""
        limits = self.given.limits(LONGER, LEAST_S)
        # One that is slower there is not wrong for that.
        patient = replace(limits, seconds=min(self.given.runs.limits.seconds, PATIENCE * limits.seconds))

        def differs(changed: Changed, _: int) -> OutputDifference | None:
            run = run_on(self.given.runs, draft, changed.case, limits=patient)
            found = difference_of(changed, run, self.given.check, USUAL)
            return found if found and found.wrong else None

        wrong, found = self.compared(differs)
        if wrong:
            least = self.smallest(wrong, differs)
            case, outcome = least.case, least.outcome
            did = "prints or writes something else"
            if outcome.verdict is not CaseVerdict.WA:
                did = f"ends by {outcome.verdict.words}"
            seen = "" if self.given.runs.other else ", which no proposer sees,"
            line = f" ({shlex.join(case.args)})" if self.given.runs.other else ""
            return Checked(rejection=f"{wrong.case.title}{line}{seen} {did} than with the original")
        told = []
        for first in found[:1]:
            line = "" if first.case.files else f" ({shlex.join(first.case.args)})"
            told.append(replace(first, case=replace(first.case, title=f"{first.case.title}{line}")).told(""))
        return Checked(caveats=tuple(told))


def _probes(
    given: BaselineCommand, name: str, commands: Iterable[ChangedCommand], policy: InputPolicy, because: str = ""
) -> CommandProbes:
    """because: reason why the commands are unusual for the user's data. Empty if they are similar."""
    limits = given.limits(LONGER, LEAST_S)

    def made() -> Iterator[Changed]:
        is_long = given.plain.wall_s > LONG_S
        most, fruitless = (LONG_MOST, LONG_FRUITLESS) if is_long else (MOST, TRIED)
        telling = same = 0
        for tried, changed in enumerate(islice(commands, TRIED)):
            if telling == most or (not telling and same == fruitless):
                return
            if found := given.answered(changed, f"{name}.{tried}", limits):
                # A mutation that is not visible in the output is no evidence.
                says_the_same = judge(given.case, found[1], given.check).verdict is CaseVerdict.AC
                telling, same = telling + (not says_the_same), same + says_the_same
                yield Changed(found[0], because)

    def is_steady(case: Case) -> bool:
        """Run the original again and compare it with itself. It costs runs, so it follows only a difference."""
        again = (run_on(given.runs, given.original, case, limits=limits, environment=seeded(seed)) for seed in AGAIN)
        return all(judge(case, run, given.check).verdict is CaseVerdict.AC for run in again)

    def smaller(case: Case) -> Iterator[Changed]:
        """Commands with smaller numbers, where a person sees the one that differs."""
        if not given.runs.other or case.files:  # no model sees these commands, and a file may be large
            return
        command = given.runs.command.given(case.args)
        for changed in islice(smaller_commands(command, given.runs.project.contents, given.judged), MOST_SMALLER):
            if found := given.answered(changed, case.name, limits):
                yield Changed(found[0])

    return CommandProbes(policy, more=made(), is_steady=is_steady, smaller=smaller, enough=MOST, given=given)


def changed_runs(given: BaselineCommand, seed: int, policy: InputPolicy) -> CommandProbes:
    """Commands a little different from the user's, the same ones for the same seed."""
    commands = mutated_commands(given.runs.command, given.runs.project.contents, seed, given.judged)
    return _probes(given, f"changed.{seed}", commands, policy)


def smaller_runs(given: BaselineCommand, policy: InputPolicy) -> CommandProbes:
    """Commands with much smaller numbers."""
    commands = smaller_commands(given.runs.command, given.runs.project.contents, given.judged)
    return _probes(given, "smaller", commands, policy, "it was given with larger numbers alone")


UNTRIED = "the command is tried on its own input only"


def why_unchanged(benchmarks: bool, compared: bool, policy: InputPolicy) -> str:
    """Reason why no command is changed; empty where some are to be.

    benchmarks: the command runs those of a tool. compared: its output is.
    """
    if not policy.generates:
        return "--mutated-inputs off"
    if benchmarks:
        return "its benchmarks have inputs of their own"
    return "" if compared else "its output is another one in each run"


def shortfall_of(tried: Sequence[CommandProbes], unchanged: str = "") -> Diagnostic | None:
    """Return a diagnostic if candidates were checked by the unchanged command only; None before any was tried.

    `unchanged` is the reason of `why_unchanged`.
    """
    if unchanged:
        return Diagnostic(UNTRIED, unchanged)
    begun = [each for each in tried if each.begun]
    if not begun or any(each.made for each in begun):
        return None
    return Diagnostic(
        UNTRIED,
        "nothing in it could be changed, or the original fails or prints something else each time",
        "give its size or seed as an argument, such as --n 1000",
    )


# The command as its user gave it, and what the original makes of other ones that are like it.


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
        # A user's checker that rejects the original's output cannot judge the command, nor one that sees the same
        # arguments although the input comes from changed code.
        changes_code = any(path.endswith(".py") for path, _ in case.files or ())
        if isinstance(self.check, OutputChecker) and (changes_code or refuses_own(self.check, case)):
            return None
        return case, run
