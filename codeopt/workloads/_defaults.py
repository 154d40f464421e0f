"""Most of a workload, for kinds that have nothing to add to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from codeopt.core.briefing import Briefing
from codeopt.core.budget import NOTHING_USED
from codeopt.core.by_size import BySize
from codeopt.core.evidence import CaseEvidence, WorkloadEvidence
from codeopt.core.history import Candidate
from codeopt.core.proposer import Proposer
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup
from codeopt.rules import Rule as RewriteRule
from codeopt.workloads._protocol import KeepTests, Workload
from codeopt.workloads._request import Checked, Stage, Suite, TimedRegion
from codeopt_sandbox.compare import Plan, StoppingRule, make_plan
from codeopt_sandbox.outcome import Case, Outcome
from codeopt_sandbox.profile import Profile


class Defaults:
    """A workload without fuzzing, profile or rules. A dataclass adds baseline, suite, runner, rule and plan."""

    region = TimedRegion.RUN
    guards: tuple[str, ...] = ()
    usage = NOTHING_USED
    lower_bound_program: Revision | None = None
    plan: Plan | None
    suite: Suite

    def timed(self) -> Workload:
        """Unchanged: the plan is there from the start."""
        return cast(Workload, self)

    def require_plan(self) -> Plan:
        assert self.plan is not None
        return self.plan

    def explain(self, draft: Revision, case: Case, outcome: Outcome) -> Outcome:
        """The outcome unchanged."""
        return outcome

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """Accept; no further check."""
        return Checked()

    def run_tests(self, draft: Revision, stage: Stage, seconds: float | None, keep: KeepTests) -> Checked:
        """Accept: there are no tests of a project."""
        return Checked()

    def unseen_cases(self) -> tuple[Case, ...]:
        return ()

    def making_unseen(self) -> AbstractContextManager[Callable[[], tuple[Case, ...]]]:
        """Make them when they are asked for."""
        return nullcontext(self.unseen_cases)

    def confirmation_plan(self, unseen: Sequence[Case]) -> Plan:
        """Return the plan of the rounds."""
        return self.require_plan()

    def plan_by(self, plan: Plan, rule: StoppingRule) -> Plan:
        """Plan the same cases with the rule's metric."""
        runner, original = cast(Workload, self).runner, cast(Workload, self).baseline.revision
        return make_plan(runner, original, plan.cases, self.suite.check, rule)

    def similar_inputs(self, case: Case) -> Iterable[Case]:
        return ()

    def profile(self, draft: Revision) -> Profile | None:
        """Return None: there is no profile."""
        return None

    def by_size(self, draft: Revision, timed: Speedup) -> BySize:
        """Return nothing: other sizes are not timed."""
        return BySize()

    def trimmed(self, candidate: Candidate) -> Candidate:
        """The candidate unchanged."""
        return candidate

    def bound(self, candidate: Candidate) -> float | None:
        """Return None: no draft is stopped early."""
        return None

    def rules(self, rules: Sequence[RewriteRule]) -> tuple[RewriteRule, ...]:
        """Apply no built-in rules."""
        return ()

    def briefing(self) -> Briefing:
        """The rules for programs."""
        return Briefing()

    def adapt(self, proposer: Proposer) -> Proposer:
        """The proposer unchanged."""
        return proposer

    @property
    def headline(self) -> str:
        """The number of cases in words."""
        return f"{len(self.suite.cases)} cases, {self.suite.held_out} held out"

    def evidence(self) -> WorkloadEvidence:
        """The number of cases."""
        return WorkloadEvidence(cases=CaseEvidence(len(self.suite.cases)))
