"""Does a draft behave as the original when the command is another? A handful of changed commands, each run once on each
side; those that the original itself fails on, or answers otherwise from run to run, are left out."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.options import FuzzPolicy
from codeopt.core.revision import Revision
from codeopt.workloads.project.changed_command import ChangedCommand, changed_commands, smaller_commands
from codeopt.workloads.project.given_command import GivenCommand
from codeopt_sandbox.caveat import Caveat, Subject
from codeopt_sandbox.outcome import Case, Outcome, Run, RunLimits, Verdict
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import judge

MOST = 5
"""Number of changed commands that are enough."""
LONG_MOST = 2
"""The same of a command that takes longer than LONG_S."""
LONG_S = 3.0
"""Time from which on a command counts as long, seconds."""
LONG_FRUITLESS = 3
"""Number of changed commands of a long one that print what it prints, after which no other is tried where none did
otherwise: its output hides what was changed, and each takes two runs."""
TRIED = 10
"""At most, with those that the original fails on."""
LONGER = 3
"""Maximum time of a changed command as a multiple of the command's."""
LEAST_S = 2.0
"""Time that a changed command may take in any case, seconds."""
PATIENCE = 5
"""Maximum time of a draft's run, as a multiple of that of the original's."""
OTHER_SEED = 1


@dataclass(frozen=True)
class ChangedRuns:
    """Changed commands with what the original makes of them, made as they are needed."""

    given: GivenCommand
    name: str
    """Beginning of the names of the cases."""
    commands: Iterable[ChangedCommand]
    """In the order in which they are tried."""
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
        """Limits of each run."""
        return self.given.limits(LONGER, LEAST_S)

    @property
    def _patient(self) -> RunLimits:
        """Limits of a draft's run: one that is slower there is not wrong for that."""
        return replace(self.limits, seconds=min(self.given.runs.limits.seconds, PATIENCE * self.limits.seconds))

    def wrong(self, draft: Revision) -> str:
        """Description of what a draft does otherwise, without the input; empty when nothing was found."""
        found = self._first_difference(draft)
        if found is None:
            return ""
        case, outcome = found
        how = "prints or writes something else" if outcome.verdict is Verdict.WA else f"ends with {outcome.verdict}"
        return f"{case.title} than the user's, which no proposer sees, {how} than with the original"

    def caveats(self, draft: Revision) -> tuple[Caveat, ...]:
        """The first difference, where the commands are not alike the user's."""
        found = self._first_difference(draft)
        if found is None:
            return ()
        case, outcome = found
        words = "" if case.files else f" ({shlex.join(case.args)})"
        got = outcome.detail or f"ends with {outcome.verdict}"
        return (Caveat(Subject.INPUT, f"{case.title}{words}", "", got, "it was given with larger numbers alone"),)

    def _first_difference(self, draft: Revision) -> tuple[Case, Outcome] | None:
        """The first command with which a draft does otherwise, where the original agrees with itself."""
        for case in self:
            if case.name in self.unsteady:
                continue
            outcome = judge(case, run_on(self.given.runs, draft, case, limits=self._patient), self.given.check)
            if outcome.verdict is not Verdict.AC and self._is_steady(case):
                return case, outcome
        return None

    def _is_steady(self, case: Case) -> bool:
        """Whether the original agrees with itself; asked only where a draft does not."""
        again = run_on(self.given.runs, self.given.original, case, limits=self.limits, hash_seed=OTHER_SEED)
        steady = judge(case, again, self.given.check).verdict is Verdict.AC
        self.unsteady.update(() if steady else (case.name,))
        return steady

    def _cases(self) -> Iterator[Case]:
        """With what the original prints and writes."""
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
        """As for the command as it was given: what was changed is not seen in it, and others are wanted."""
        return judge(self.given.case, run, self.given.check).verdict is Verdict.AC


def changed_runs(given: GivenCommand, seed: int) -> ChangedRuns:
    """Commands a little different from the user's, the same ones for the same seed."""
    commands = changed_commands(given.runs.command, given.runs.project.contents, seed, given.judged)
    return ChangedRuns(given, f"changed.{seed}", commands)


def smaller_runs(given: GivenCommand) -> ChangedRuns:
    """Commands with much smaller numbers."""
    return ChangedRuns(
        given, "smaller", smaller_commands(given.runs.command, given.runs.project.contents, given.judged)
    )  # fmt: skip


UNTRIED = "the command is tried on no other input than its own"


def why_unchanged(benchmarks: bool, compared: bool, policy: FuzzPolicy) -> str:
    """Reason why no command is changed; empty where some are to be.

    benchmarks: the command runs those of a tool. compared: its output is.
    """
    if policy is FuzzPolicy.OFF:
        return "--changed-inputs off"
    if benchmarks:
        return "its benchmarks have inputs of their own"
    return "" if compared else "its output is another one in each run"


def shortfall_of(tried: Sequence[ChangedRuns], unchanged: str = "") -> Diagnostic | None:
    """Diagnostic where a draft was judged by the command as it is and by no changed one; None before anything was
    tried. unchanged: the reason of `why_unchanged`."""
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
