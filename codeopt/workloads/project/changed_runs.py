"""Does a draft behave as the original when the command is another? A handful of changed commands, each run once on each
side; those that the original itself fails on, or answers otherwise from run to run, are left out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.options import FuzzPolicy
from codeopt.core.revision import Revision
from codeopt.workloads.program.special_check import OutputChecker, refuses_own
from codeopt.workloads.project.changed_command import changed_commands, smaller_commands
from codeopt.workloads.project.runs import CommandRuns
from codeopt_sandbox.caveat import Caveat, Subject
from codeopt_sandbox.outcome import Case, Outcome, Run, RunLimits, Verdict
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import Checker, judge

MOST = 5
"""Number of changed commands that are enough."""
LONG_MOST = 2
"""The same of a command that takes longer than LONG_S."""
LONG_S = 3.0
"""Time from which on a command counts as long, seconds."""
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

    runs: CommandRuns
    original: Revision
    check: Checker
    usual: Case
    """The command as it was given."""
    plain: Run
    """Run of the command as it is."""
    seed: int
    smaller: bool = False
    """With much smaller numbers, in place of a little different ones."""
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
        seconds = min(self.runs.limits.seconds, max(LEAST_S, LONGER * self.plain.wall_s))
        return replace(self.runs.limits, seconds=seconds)

    @property
    def _patient(self) -> RunLimits:
        """Limits of a draft's run: one that is slower there is not wrong for that."""
        return replace(self.limits, seconds=min(self.runs.limits.seconds, PATIENCE * self.limits.seconds))

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
            outcome = judge(case, run_on(self.runs, draft, case, limits=self._patient), self.check)
            if outcome.verdict is not Verdict.AC and self._is_steady(case):
                return case, outcome
        return None

    def _is_steady(self, case: Case) -> bool:
        """Whether the original agrees with itself; asked only where a draft does not."""
        again = run_on(self.runs, self.original, case, limits=self.limits, hash_seed=OTHER_SEED)
        steady = judge(case, again, self.check).verdict is Verdict.AC
        self.unsteady.update(() if steady else (case.name,))
        return steady

    def _cases(self) -> Iterator[Case]:
        """With what the original prints and writes."""
        most = MOST if self.plain.wall_s <= LONG_S else LONG_MOST
        judged = self.runs.other.differing if self.runs.other else ()
        command, files = self.runs.command, self.runs.project.contents
        wanted = (
            smaller_commands(command, files, judged)
            if self.smaller
            else changed_commands(command, files, self.seed, judged)
        )
        kind = "smaller" if self.smaller else "changed"
        for tried, changed in enumerate(wanted):
            if tried == TRIED or most == 0:
                return
            case = replace(changed.case(f"{kind}.{self.seed}.{tried}"), ignored=self.usual.ignored)
            run = run_on(self.runs, self.original, case, limits=self.limits)
            if run.exit == 0 and run.stop is None:
                case = replace(case, expected=run.stdout, written=run.written)
                if self._is_unknown_to_checker(case):
                    continue
                most -= not self._says_the_same(run)
                yield case

    def _is_unknown_to_checker(self, case: Case) -> bool:
        """Whether a checker of the user's cannot say what is right: it refuses the original, or the program that makes
        the input is another one, of which it sees the arguments alone."""
        changes_code = any(path.endswith(".py") for path, _ in case.files or ())
        return isinstance(self.check, OutputChecker) and (changes_code or bool(refuses_own(self.check, case)))

    def _says_the_same(self, run: Run) -> bool:
        """As for the command as it was given: what was changed is not seen in it, and others are wanted."""
        return judge(self.usual, run, self.check).verdict is Verdict.AC


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
