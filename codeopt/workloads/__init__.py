"""What is judged: how the code is exercised, what counts as the same behaviour, what is timed. One kind a file.

A kind is a module of this folder, an entry point of the group `codeopt.workloads`, or any module by its dotted path
(`--workload`). It defines

    matches(target, options) -> bool          recognises a target; not asked where the kind is named
    open_workload(request) -> context manager of an Opened

and may define PRIORITY (kinds with a larger one are asked first; 0) and read(target) -> Program, for targets that are
no Python file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType
from typing import Any, Protocol, cast

from codeopt import registry
from codeopt.budget import NOTHING_USED, Usage
from codeopt.errors import UsageError
from codeopt.history import Candidate
from codeopt.interpreter import Interpreter
from codeopt.options import ImproveOptions
from codeopt.program import Program, read_program
from codeopt.proposers import Proposer
from codeopt.rules import Rule as RewriteRule
from codeopt.session import Mounts, Session
from codeopt.target import Target
from sandbox import Sandbox
from sandbox.caveat import Caveat
from sandbox.compare import Plan, StoppingRule
from sandbox.growth import GrowthPair
from sandbox.outcome import Case, Outcome
from sandbox.profile import Mode, Profile
from sandbox.runner import Runner
from sandbox.verdict import Checker

OTHER_HASH_SEED = 1
"""Sets of texts are in another order than in the rounds: what depends on it is found out."""


class TimedRegion(Enum):
    """What lies between the two readings of the clock; guards go by it."""

    RUN = "run"  # whole runs of a program, each a process of its own
    CALLS = "calls"  # some calls within a process that does other things before and after
    NOTHING = "nothing"  # a text: it is scored


class Stage(Enum):
    """Why a draft is checked."""

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
        """How many cases no proposer ever sees."""
        return sum(case.held_out for case in self.cases)


@dataclass(frozen=True)
class Checked:
    """What else was found out about a draft that is right on the cases."""

    outcomes: tuple[Outcome, ...] = ()
    rejection: str = ""
    """Why it cannot be accepted, in one line; empty when nothing speaks against it."""
    caveats: tuple[Caveat, ...] = ()
    """Differences beyond the known inputs."""
    critique: str = ""
    """Where a language model scores a draft: what it said."""
    scores: tuple[tuple[str, float], ...] = ()
    """The same as shares of the full score, by name."""
    usage: Usage = NOTHING_USED
    """What that cost."""


@dataclass(frozen=True)
class WorkloadRequest:
    """What a kind is asked to open."""

    target: Target
    program: Program
    options: ImproveOptions
    session: Session
    rule: StoppingRule = StoppingRule()
    """When a comparison stops, and by which clock."""
    own_code_only: bool = True
    """Nothing but the user's own code, and what the built-in rules made of it, will run."""
    rival: Target | None = None
    """The other side of a comparison, which is run beside the target."""
    rival_program: Program | None = None
    """What the rival's file holds; there where a rival is."""
    held_out: Mapping[str, bool] = field(default_factory=dict)
    """By case: whether it was held out in an earlier sitting; it stays so."""
    baseline: Candidate | None = None
    """The original as an earlier sitting measured it; it is not profiled again."""
    profile_modes: tuple[Mode, ...] = ()
    """What to profile of the original; empty: nothing."""
    needs_time: bool = True
    """A target that is too quick to time is of no use."""
    model_calls: bool = False
    """A language model may be asked for calls where nothing else gives enough."""
    calls_text: str = ""
    """A calls file that a language model wrote earlier."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What was found out on the way to the target, as fields of a JSON object."""
    interpreter: Interpreter | None = None
    """What runs the target; None where an image has its own."""

    def open_sandbox(self, mounts: Mounts = ()) -> AbstractContextManager[Sandbox]:
        """A sandbox that shows these folders. Raises NoSandbox."""
        notify = self.session.console.warn
        return self.session.open_sandbox(self.options, own_code_only=self.own_code_only, notify=notify, mounts=mounts)


class Workload(Protocol):
    """A target that was measured: everything that a judge needs. `Defaults` has most of it for simple kinds."""

    @property
    def baseline(self) -> Candidate:
        """Round 0, measured: right on all of the cases."""
        ...

    @property
    def suite(self) -> Suite:
        """What a draft must be right on."""
        ...

    @property
    def runner(self) -> Runner:
        """Runs a source text on a case's input."""
        ...

    @property
    def rule(self) -> StoppingRule:
        """When a comparison stops, and what to believe."""
        ...

    @property
    def plan(self) -> Plan | None:
        """What is timed; None before `timed()`, and where everything is too short to time."""
        ...

    @property
    def region(self) -> TimedRegion:
        """What the seconds of a run are the seconds of."""
        ...

    @property
    def usage(self) -> Usage:
        """What a language model cost while this was opened."""
        ...

    def timed(self) -> Workload:
        """The same with a plan and the baseline's profile."""
        ...

    def require_plan(self) -> Plan:
        """The plan. Raises ProgramError where there is nothing to time."""
        ...

    def run_case(self, source: str, case: Case, hash_seed: int = 0) -> Outcome:
        """Run a source text on one case, as a user would run it."""
        ...

    def explain(self, source: str, case: Case, outcome: Outcome) -> Outcome:
        """The first wrong outcome of a draft, said as helpfully as can be: the smallest input that shows it."""
        ...

    def check(self, source: str, stage: Stage) -> Checked:
        """What else a draft must do that is right on all cases: fuzzed inputs, the project's tests."""
        ...

    def unseen_cases(self) -> tuple[Case, ...]:
        """New cases that were never run before, with what the original makes of them; may be none."""
        ...

    def confirmation_plan(self, unseen: Sequence[Case]) -> Plan:
        """What is timed to confirm a draft."""
        ...

    def similar_inputs(self, case: Case) -> Iterable[Case]:
        """Inputs like that of a case, which no draft has met."""
        ...

    def profile(self, source: str) -> Profile | None:
        """Where the time of a draft goes; None where that cannot be measured."""
        ...

    def growth(self, source: str) -> GrowthPair | None:
        """How the cost of the original and of a draft grows with the input; None where nothing can be told."""
        ...

    def bound(self, candidate: Candidate) -> float | None:
        """How many times as fast as the original a draft is at most that was given up for the time it takes; None for
        one that was not."""
        ...

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        """Those of the built-in rules that apply to such a target, each kept to it."""
        ...

    @property
    def note(self) -> str:
        """What a language model is told of such targets, below its task; may be empty."""
        ...

    def adapt(self, proposer: Proposer) -> Proposer:
        """A language model that keeps to the target."""
        ...

    @property
    def headline(self) -> str:
        """What is known of the original, in a few words: `13 cases, 5 held out   longest 0.699 s`."""
        ...

    def facts(self) -> dict[str, Any]:
        """The same as fields of a JSON object: `tests`, `evidence`."""
        ...


class Defaults:
    """A workload without fuzzing, profile, growth or rules. A dataclass adds baseline, suite, runner, rule and plan."""

    region = TimedRegion.RUN
    usage = NOTHING_USED
    note = ""
    plan: Plan | None
    suite: Suite

    def timed(self) -> Workload:
        """As it is: the plan is there."""
        return cast(Workload, self)

    def require_plan(self) -> Plan:
        """The plan."""
        assert self.plan is not None
        return self.plan

    def explain(self, source: str, case: Case, outcome: Outcome) -> Outcome:
        """As it is."""
        return outcome

    def check(self, source: str, stage: Stage) -> Checked:
        """Nothing else."""
        return Checked()

    def unseen_cases(self) -> tuple[Case, ...]:
        """None."""
        return ()

    def confirmation_plan(self, unseen: Sequence[Case]) -> Plan:
        """The same as in the rounds."""
        return self.require_plan()

    def similar_inputs(self, case: Case) -> Iterable[Case]:
        """None."""
        return ()

    def profile(self, source: str) -> Profile | None:
        """None."""
        return None

    def growth(self, source: str) -> GrowthPair | None:
        """None."""
        return None

    def bound(self, candidate: Candidate) -> float | None:
        """None."""
        return None

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        """None."""
        return ()

    def adapt(self, proposer: Proposer) -> Proposer:
        """As it is."""
        return proposer

    @property
    def headline(self) -> str:
        """How many cases there are."""
        return f"{len(self.suite.cases)} cases, {self.suite.held_out} held out"

    def facts(self) -> dict[str, Any]:
        """How many cases there are."""
        return {"tests": {"total": len(self.suite.cases)}}


class Opened(Protocol):
    """A target in its sandbox, not measured yet."""

    @property
    def title(self) -> str:
        """What is improved, for people: `slow.py`, `mod.py::f`."""
        ...

    @property
    def name(self) -> str:
        """The same for the name of a folder: `slow`, `mod.f`."""
        ...

    @property
    def sandbox(self) -> Sandbox:
        """Where it runs."""
        ...

    @property
    def rival(self) -> str:
        """Source text of the request's rival; empty where there is none."""
        ...

    def profile(self) -> Profile:
        """Where the original's time goes; it need not be fit to be judged. Raises ProgramError, UsageError."""
        ...

    def measure(self) -> Workload:
        """Run the original and find out what it is judged by. Raises ProgramError, UsageError."""
        ...


class WorkloadKind(Protocol):
    """A module of this folder."""

    def read(self, target: Target) -> Program:
        """The file. Raises UsageError."""
        ...

    def open_workload(self, request: WorkloadRequest) -> AbstractContextManager[Opened]:
        """Open a sandbox for it. Raises UsageError, NoSandbox."""
        ...


def kind_of(target: Target, options: ImproveOptions) -> WorkloadKind:
    """The kind that is named, or the first that recognises the target. Raises UsageError."""
    modules = [registry.load(__name__, name) for name in registry.names(__name__)] if not options.workload else []
    for module in sorted(modules, key=lambda each: -getattr(each, "PRIORITY", 0)):
        if module.matches(target, options):
            return _as_kind(module)
    if not options.workload:
        raise UsageError(f"nothing here knows how to improve {target}")
    return _as_kind(registry.load(__name__, options.workload))


def _as_kind(module: ModuleType) -> WorkloadKind:
    if not hasattr(module, "open_workload"):
        raise UsageError(f"{module.__name__} is no workload: it does not define open_workload")
    if not hasattr(module, "read"):
        module.read = lambda target: read_program(target.path)  # type: ignore[attr-defined]
    return cast(WorkloadKind, module)
