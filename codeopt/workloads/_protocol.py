"""What a kind of target is asked, what a measured target answers a judge, and how the kind is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from secrets import randbelow
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.evidence import BySize, CaseEvidence, WorkloadEvidence
from codeopt.core.history import Briefing, Candidate, Proposer, TestsRun
from codeopt.core.interpreter import Interpreter
from codeopt.core.model import NOTHING_USED, Usage
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Program, Target, TargetFiles, read_program
from codeopt.core.revision import Revision
from codeopt.core.session import Mounts, Session
from codeopt.core.words import Speedup
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads.sandbox_view.linked import Linked, project_top
from codeopt_sandbox import Sandbox
from codeopt_sandbox.compare import Plan, StoppingRule, make_plan
from codeopt_sandbox.outcome import Case, Caveat, Outcome, Runner
from codeopt_sandbox.owner import BaseFolder
from codeopt_sandbox.profile import Mode, Profile
from codeopt_sandbox.verdict import Checker


class TimedRegion(Enum):
    """The part of a run between the two readings of the clock. Guards go by it."""

    RUN = "run"  # whole runs of a program, each a process of its own
    CALLS = "calls"  # some calls within a process that does other things before and after
    NOTHING = "nothing"  # a text: it is scored

    @property
    def timed(self) -> bool:
        """Code is run and timed."""
        return self is not TimedRegion.NOTHING


class Stage(Enum):
    """Reason for checking a draft."""

    ROUND = "round"
    REFERENCE = "reference"  # a program that a person wrote, believed or not at once
    CONFIRMATION = "confirmation"


@dataclass(frozen=True)
class Suite:
    """All cases of a target, each with its expected output, and how outputs are compared."""

    cases: tuple[Case, ...]
    check: Checker
    fuzzed: Sequence[Case] = ()
    """Inputs made of the cases that may be shown, as far as they were needed; the same for every draft."""

    @property
    def known(self) -> tuple[Case, ...]:
        """Everything that may turn up in a candidate's outcomes during the rounds."""
        return (*self.cases, *self.fuzzed)

    @property
    def held_out(self) -> int:
        """Number of cases that no proposer ever sees."""
        return sum(case.held_out for case in self.cases)


@dataclass(frozen=True)
class Checked:
    """Findings about a draft that is right on all cases."""

    outcomes: tuple[Outcome, ...] = ()
    rejection: str = ""
    """Reason for a rejection in one line. Empty if it can be accepted."""
    rejection_detail: str = ""
    """Evidence of the rejection, as `Candidate.rejection_detail` has it."""
    caveats: tuple[Caveat, ...] = ()
    """Differences on unusual inputs."""
    notes: tuple[str, ...] = ()
    """Checks that were not made, and why."""
    critique: str = ""
    """The critique of a language model that scores drafts; empty without one."""
    scores: tuple[tuple[str, float], ...] = ()
    """Scores by name, as shares of the full score, 0 to 1."""
    usage: Usage = NOTHING_USED
    """Tokens and cost of that critique."""
    tests: TestsRun | None = None
    """The project's own tests that ran. None if none was asked for."""


@dataclass(frozen=True)
class OtherTarget:
    """The other side of a comparison."""

    target: Target
    program: TargetFiles
    """What its file holds."""
    beside: tuple[Target, ...] = ()
    """Functions of its project that are compared on their own."""
    early_check: Callable[[Any, Revision], None] = lambda known, other: None
    """Called with a workload of what is known of the original first, and with the other side; what it raises ends the
    measuring. A kind that has no quick look never calls it."""


@dataclass(frozen=True)
class WorkloadRequest:
    """A target to open, with everything that is needed to judge it."""

    target: Target
    program: TargetFiles
    options: ImproveOptions
    session: Session
    rule: StoppingRule = StoppingRule()
    """Rule for when a comparison stops, and by which clock."""
    other: OtherTarget | None = None
    held_out: Mapping[str, bool] = field(default_factory=dict)
    """True for each case, by its name, that was held out in an earlier session. It stays held out."""
    baseline: Candidate | None = None
    """The original, measured in an earlier session. It is not profiled again."""
    profile_modes: tuple[Mode, ...] = ()
    """Profiles to take of the original; empty: none."""
    for_memory: bool = False
    """True if less memory is an aim. The profile of a function then also shows the lines that hold memory."""
    needs_time: bool = True
    """A target that is too quick to time is of no use."""
    model_calls: bool = False
    """A language model may be asked for calls where nothing else gives enough."""
    calls_text: str = ""
    """A calls file that a language model wrote earlier."""
    recording: Mapping[str, Any] | None = None
    """Recording of calls on the way to the target, as a JSON object. None without one."""
    interpreter: Interpreter | None = None
    """The interpreter that runs the target; None where an image has its own."""
    roots: tuple[str, ...] | None = None
    """Further folders that a copy of a project imports from, relative to it; None: those of the environment."""
    drawn_seed: int = field(default_factory=lambda: randbelow(1 << 31))
    """The seed of generated inputs, unless the options name one."""

    def notify(self, line: str) -> None:
        """Show the user what is done now."""
        self.session.console.progress(line)

    def imported_in_place(self, of: Path, other_side: Path | None = None) -> Linked:
        """Return the folders that the interpreter imports in place, such as those of `pip install -e`.

        Args:
            of: A file of the project.
            other_side: The file of the other version. The installed checkout may be this one.

        Raises:
            OSError: A folder cannot be read.
        """
        if self.roots is not None:
            return Linked(tuple(project_top(of) / root for root in self.roots))
        return Linked.of(
            self.interpreter, project_top(other_side) if other_side is not None and other_side != of else None
        )

    @property
    def input_seed(self) -> int:
        """Seed of generated inputs: another in each run, so that no program meets them again; saved in the run's
        record."""
        return self.drawn_seed if self.options.input_seed is None else self.options.input_seed

    def open_sandbox(self, mounts: Mounts = (), base: BaseFolder | None = None) -> AbstractContextManager[Sandbox]:
        """A sandbox that shows these folders, whose runs begin with the files of a base. Raises NoSandbox."""
        return self.session.open_sandbox(self.options, notify=self.session.console.warn, mounts=mounts, base=base)


# What a measured target answers a judge.

KeepTests = Callable[[TestsRun], None]
"""Receives the number of tests that a draft passed so far."""


class Workload:
    """A target that was measured: everything that a judge needs. The defaults are of a kind without fuzzing, profile or
    rules; a dataclass adds baseline, suite, runner, rule and plan."""

    guards: tuple[str, ...] = ()
    """Modules with the guards that only such targets have."""

    # Its cases, and whether a draft is right on them.

    baseline: Candidate
    """Round 0, measured: right on all of the cases."""
    suite: Suite
    """The cases on which a draft must be right, and how an output is checked."""
    if TYPE_CHECKING:  # a dataclass with such a field would take the property for its default

        @property
        def runner(self) -> Runner[Revision]:
            """Runs a draft on a case's input."""

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        """Run a draft on one case, as a user would run it, in the case's environment."""
        raise NotImplementedError

    def explain(self, draft: Revision, case: Case, outcome: Outcome) -> Outcome:
        """The first wrong outcome of a draft, said as helpfully as can be: the smallest input that shows it."""
        return outcome

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """Check a draft that is right on all cases further: on fuzzed inputs, by the project's tests."""
        return Checked()

    def run_tests(self, draft: Revision, stage: Stage, seconds: float | None, keep: KeepTests) -> Checked:
        """Run the project's own tests on a draft that is right on all else and worth it, for at most `seconds`.

        What ran on the same draft before is not run again. keep: receives the count after each run.
        """
        return Checked()

    def unseen_cases(self) -> tuple[Case, ...]:
        """Return new cases that never ran before, with the original's results. The tuple may be empty."""
        return ()

    def making_unseen(self) -> AbstractContextManager[Callable[[], tuple[Case, ...]]]:
        """Return what gives the unseen cases. They are made meanwhile if there is a core for it that nothing is timed
        on."""
        return nullcontext(self.unseen_cases)

    def similar_inputs(self, case: Case) -> Iterable[Case]:
        """Inputs like that of a case, which no draft has met."""
        return ()

    # Its timed cases, and its cost in detail.

    region = TimedRegion.RUN
    """The part of a run that its seconds are measured of."""
    rule: StoppingRule
    """Rule for when a comparison stops, and what to believe."""
    plan: Plan | None
    """The timed cases; None before `timed()`, and where everything is too short to time."""
    lower_bound_program: Revision | None = None
    """A program that does only the work that each draft must do, such as reading the input."""

    def timed(self) -> Workload:
        """Return the workload with a plan and the baseline's profile."""
        return self

    def require_plan(self) -> Plan:
        """The plan. Raises ProgramError where there is nothing to time."""
        assert self.plan is not None
        return self.plan

    def confirmation_plan(self, unseen: Sequence[Case]) -> Plan:
        """The timed cases of a confirmation, those that nobody has seen first."""
        return self.require_plan()

    def plan_by(self, plan: Plan, rule: StoppingRule) -> Plan:
        """The plan to use with another clock: the same cases."""
        return make_plan(self.runner, self.baseline.revision, plan.cases, self.suite.check, rule)

    def profile(self, draft: Revision) -> Profile | None:
        """Profile of a draft; None where that cannot be measured."""
        return None

    def by_size(self, draft: Revision, timed: Speedup) -> BySize:
        """Return the times of the original and of a draft on smaller inputs too. timed: the verdict's figures."""
        return BySize()

    def bound(self, candidate: Candidate) -> float | None:
        """Upper bound of the speedup of a draft that was stopped for taking too long; None for one that was not."""
        return None

    def trimmed(self, candidate: Candidate) -> Candidate:
        """Return the candidate without parts that do not pay. It is called before the confirmation."""
        return candidate

    # Facts for its user, and for those who write drafts of it.

    usage = NOTHING_USED
    """Tokens and cost of language models while the target was opened."""

    @property
    def headline(self) -> str:
        """Summary of the original in a few words: `13 cases, 5 held out   longest 0.699 s`."""
        return f"{len(self.suite.cases)} cases, {self.suite.held_out} held out"

    def evidence(self) -> WorkloadEvidence:
        """Return what was checked, how much, and every gap with its reason."""
        return WorkloadEvidence(cases=CaseEvidence(len(self.suite.cases)))

    def briefing(self) -> Briefing:
        """Return the facts of the target that a language model gets in addition to its program."""
        return Briefing()

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        """The built-in rules that apply to such a target, each restricted to it."""
        return ()

    def adapt(self, proposer: Proposer) -> Proposer:
        """A language model that keeps to the target."""
        return proposer


class OpenTarget(Protocol):
    """A target in its sandbox, not measured yet."""

    @property
    def title(self) -> str:
        """The target's name for people: `slow.py`, `mod.py::f`."""
        ...

    @property
    def name(self) -> str:
        """Return the target's name in a form for a folder: `slow`, `mod.f`."""
        ...

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox that it runs in."""
        ...

    @property
    def other(self) -> Revision | None:
        """Return the request's other version, or None."""
        ...

    def profile(self) -> Profile:
        """Profile of the original, which need not be fit to be judged. Raises ProgramError, UsageError."""
        ...

    def measure(self) -> Workload:
        """Run the original and find out what it is judged by. Raises ProgramError, UsageError."""
        ...


Opens = Callable[[WorkloadRequest], AbstractContextManager[OpenTarget]]
Matches = Callable[[Target, ImproveOptions], bool]


@dataclass(frozen=True)
class WorkloadKind:
    """One kind of target; made by `@workload`."""

    open_workload: Opens
    """Opens a sandbox for a target. Raises UsageError, NoSandbox."""
    matches: Matches
    """Recognises a target; not asked where the kind is named."""
    read: Callable[[Target], TargetFiles]
    """Reads the target. Raises UsageError."""
    priority: int
    """Kinds with a larger one are asked first."""

    def __post_init__(self) -> None:
        """Raise ValueError for a function of another name, which would be looked for in vain."""
        if self.open_workload.__name__ != "open_workload":
            raise ValueError(f"@workload makes a kind of open_workload(request), not of {self.open_workload.__name__}")

    def __call__(self, request: WorkloadRequest) -> AbstractContextManager[OpenTarget]:
        return self.open_workload(request)

    @property
    def name(self) -> str:
        """The kind as the setting `workload` names it."""
        return self.open_workload.__module__.rpartition(".")[2]


def read_file(target: Target) -> Program:
    """The target's file, of a kind that says nothing else. Raises UsageError."""
    return read_program(target.path)


def workload(
    matches: Matches, *, read: Callable[[Target], TargetFiles] = read_file, priority: int = 0
) -> Callable[[Opens], WorkloadKind]:
    """Make a kind of target of a context manager `open_workload(request: WorkloadRequest)`. The arguments are
    documented at WorkloadKind; a wrong one raises ValueError or TypeError."""

    def make(open_workload: Opens) -> WorkloadKind:
        return WorkloadKind(open_workload, matches, read, priority)

    return make


# Finds the kind of a target.

KINDS = "codeopt.workloads"
"""The folder, and the group of entry points."""
SHARED = ("contract", "generated", "sandbox_view", "source", "tests")
"""Folders of this package that are not kinds."""


def kind_of(target: Target, options: ImproveOptions) -> WorkloadKind:
    """The kind that is named, or the first that recognises the target. Raises UsageError."""
    if options.contract and not target.name:
        raise UsageError(f"--contract is for functions, and {target} has no parameters", hint="name FILE::FUNCTION")
    names = [name for name in plugins.names(KINDS) if name not in SHARED] if not options.workload else []
    kinds = [kind_in(plugins.load(KINDS, name)) for name in names]
    for kind in sorted(kinds, key=lambda each: -each.priority):
        if kind.matches(target, options):
            return kind
    if not options.workload:
        raise UsageError(f"nothing here knows how to improve {target}")
    return kind_in(plugins.load(KINDS, options.workload))


def kind_in(module: ModuleType) -> WorkloadKind:
    """Return the kind of target that a module defines.

    Raises:
        UsageError: The module does not define one.
    """
    return plugins.made_by(module, "workload", "open_workload", WorkloadKind, "@workload(matches)")
