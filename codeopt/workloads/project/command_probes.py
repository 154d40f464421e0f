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
from codeopt.workloads._judging import InputPolicy, OutputChecker, refuses_own
from codeopt.workloads.project.changed_command import ChangedCommand, mutated_commands, smaller_commands
from codeopt.workloads.project.runs import CommandRuns
from codeopt_sandbox.guest.request import seeded
from codeopt_sandbox.outcome import Case, CaseVerdict, Caveat, CaveatKind, Outcome, Run, RunLimits, Tier
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

OTHER_SEED = 1

LENIENT = "--mutated-inputs lenient"


@dataclass
class CommandProbes:
    """Changed commands with what the original makes of them, made as they are needed."""

    given: BaselineCommand
    name: str
    """Beginning of the names of the cases."""
    commands: Iterable[ChangedCommand]
    """In the order in which they are tried."""
    policy: InputPolicy = InputPolicy()
    because: str = ""
    """Reason why the commands are unusual for the user's data. Empty if they are similar."""
    made: list[Case] = field(default_factory=list)
    more: list[Iterator[Case]] = field(default_factory=list)
    """Iterator of the cases that are still to be made; one, once it was begun."""
    unsteady: set[str] = field(default_factory=set)

    def __iter__(self) -> Iterator[Case]:
        """The cases that were made, then new ones."""
        yield from tuple(self.made)
        if not self.more:
            self.more.append(self._cases())
        for case in self.more[0]:
            self.made.append(case)
            yield case

    @property
    def limits(self) -> RunLimits:
        return self.given.limits(LONGER, LEAST_S)

    @property
    def _patient(self) -> RunLimits:
        """Limits of a draft's run: one that is slower there is not wrong for that."""
        return replace(self.limits, seconds=min(self.given.runs.limits.seconds, PATIENCE * self.limits.seconds))

    def wrong(self, draft: Revision) -> str:
        """Description of a difference that rejects a draft, without the input; empty when nothing was found."""
        found = self._rejecting(draft)
        if found is None:
            return ""
        case, outcome = found
        how = (
            "prints or writes something else"
            if outcome.verdict is CaseVerdict.WA
            else f"ends by {outcome.verdict.words}"
        )
        return f"{case.title} than the user's, which no proposer sees, {how} than with the original"

    def caveats(self, draft: Revision) -> tuple[Caveat, ...]:
        """The first difference, where none rejects."""
        found = None if self.policy.rejects(self._tier) else next(self._differences(draft), None)
        if found is None:
            return ()
        case, outcome = found
        words = "" if case.files else f" ({shlex.join(case.args)})"
        got = outcome.detail or f"ends by {outcome.verdict.words}"
        return (Caveat(CaveatKind.INPUT, f"{case.title}{words}", "", got, self.because or LENIENT),)

    @property
    def _tier(self) -> Tier:
        return Tier.UNUSUAL if self.because else Tier.SIMILAR

    def _rejecting(self, draft: Revision) -> tuple[Case, Outcome] | None:
        """The first difference, where the policy rejects it."""
        if self.policy.rejects(self._tier):
            return next(self._differences(draft), None)
        if not self.policy.by_share or self.because:
            return None
        found = list(self._differences(draft))
        share = len(found) / max(1, len(self.made) - len(self.unsteady))
        return found[0] if found and self.policy.rejects(self._tier, share) else None

    def _differences(self, draft: Revision) -> Iterator[tuple[Case, Outcome]]:
        """Yield the commands whose result differs from the original's, where the original agrees with itself."""
        for case in self:
            if case.name in self.unsteady:
                continue
            outcome = judge(case, run_on(self.given.runs, draft, case, limits=self._patient), self.given.check)
            if outcome.verdict is not CaseVerdict.AC and self._is_steady(case):
                yield case, outcome

    def _is_steady(self, case: Case) -> bool:
        """Run the original again and compare it with itself. It costs a run, so it follows only a difference."""
        again = run_on(self.given.runs, self.given.original, case, limits=self.limits, environment=seeded(OTHER_SEED))
        steady = judge(case, again, self.given.check).verdict is CaseVerdict.AC
        self.unsteady.update(() if steady else (case.name,))
        return steady

    def _cases(self) -> Iterator[Case]:
        """Yield mutated commands with the original's output and files."""
        is_long = self.given.plain.wall_s > LONG_S
        most, fruitless = (LONG_MOST, LONG_FRUITLESS) if is_long else (MOST, TRIED)
        telling = same = 0
        for tried, changed in enumerate(islice(self.commands, TRIED)):
            if telling == most or (not telling and same == fruitless):
                return
            if found := self.given.answered(changed, f"{self.name}.{tried}", self.limits):
                case, run = found
                says_the_same = self._says_the_same(run)
                telling, same = telling + (not says_the_same), same + says_the_same
                yield case

    def _says_the_same(self, run: Run) -> bool:
        """Return True if a mutation is not visible in the output. Such commands are no evidence."""
        return judge(self.given.case, run, self.given.check).verdict is CaseVerdict.AC


def changed_runs(given: BaselineCommand, seed: int, policy: InputPolicy) -> CommandProbes:
    """Commands a little different from the user's, the same ones for the same seed."""
    commands = mutated_commands(given.runs.command, given.runs.project.contents, seed, given.judged)
    return CommandProbes(given, f"changed.{seed}", commands, policy)


def smaller_runs(given: BaselineCommand, policy: InputPolicy) -> CommandProbes:
    """Commands with much smaller numbers."""
    commands = smaller_commands(given.runs.command, given.runs.project.contents, given.judged)
    return CommandProbes(given, "smaller", commands, policy, "it was given with larger numbers alone")


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
    begun = [each for each in tried if each.more]
    if not begun or any(case.name not in each.unsteady for each in begun for case in each.made):
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
        return None if self._is_unknown_to_checker(case) else (case, run)

    def _is_unknown_to_checker(self, case: Case) -> bool:
        """Return True if the user's checker cannot judge a command.

        Such a checker rejects the original's output, or sees the same arguments although the input comes from changed
        code.
        """
        changes_code = any(path.endswith(".py") for path, _ in case.files or ())
        return isinstance(self.check, OutputChecker) and (changes_code or bool(refuses_own(self.check, case)))
