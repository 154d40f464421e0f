"""What a judge needs of a measured target, and what a kind has to offer to get there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from codeopt.core.briefing import Briefing
from codeopt.core.budget import Usage
from codeopt.core.history import Candidate
from codeopt.core.program import Program
from codeopt.core.proposer import Proposer
from codeopt.core.target import Target
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads._request import Checked, Stage, Suite, TimedRegion, WorkloadRequest
from codeopt_sandbox import Sandbox
from codeopt_sandbox.compare import Plan, StoppingRule
from codeopt_sandbox.growth import GrowthPair
from codeopt_sandbox.outcome import Case, Outcome
from codeopt_sandbox.profile import Profile
from codeopt_sandbox.runner import Runner


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

    @property
    def floor_program(self) -> str:
        """A program that does only what each draft must, such as reading the input; empty where there is none."""
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

    def plan_by(self, plan: Plan, rule: StoppingRule) -> Plan:
        """What is timed by another clock beside a plan: what it times."""
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

    def trimmed(self, candidate: Candidate) -> Candidate:
        """The same without those of its parts that do not pay: asked before it is confirmed."""
        ...

    def bound(self, candidate: Candidate) -> float | None:
        """How many times as fast as the original a draft is at most that was given up for the time it takes; None for
        one that was not."""
        ...

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        """Those of the built-in rules that apply to such a target, each kept to it."""
        ...

    def briefing(self) -> Briefing:
        """What a language model is told of the target beside its program."""
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
