"""A third kind of target, in one file outside of the package: a file with one Python expression of `n`.

The cases are the numbers 0 to 9, and one large one that is timed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from codeopt.core.history import Candidate
from codeopt.core.revision import Revision
from codeopt.workloads import Suite, Workload, WorkloadRequest, workload
from codeopt_sandbox import Case, CaseVerdict, Outcome, Run, RunLimits, Sandbox
from codeopt_sandbox.compare import Plan, StoppingRule, make_plan
from codeopt_sandbox.verdict import check_exact, judge

LARGE = 3_000_000


@dataclass(frozen=True)
class Evaluator:
    """Runs an expression as a program that reads `n`."""

    sandbox: Sandbox

    @property
    def limits(self) -> RunLimits:
        return self.sandbox.limits

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Any) -> Run:
        return self.sandbox.run(f"n = int(input())\nprint({program.text.strip()})\n", stdin, **options)

    def restart_guest(self) -> None:
        self.sandbox.restart_guest()

    def quiesce(self) -> None:
        self.sandbox.quiesce()


@dataclass(frozen=True)
class ExpressionWorkload(Workload):
    baseline: Candidate
    suite: Suite
    runner: Evaluator
    rule: StoppingRule
    plan: Plan | None

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        return judge(case, self.runner.run(draft, case.stdin, environment=case.environment), self.suite.check)


@dataclass(frozen=True)
class OpenedExpression:
    request: WorkloadRequest
    sandbox: Sandbox
    title: str = "an expression"
    name: str = "expression"
    other: Revision | None = None

    def measure(self) -> ExpressionWorkload:
        source, runner = self.request.program.revision, Evaluator(self.sandbox)
        runs = {str(n): runner.run(source, b"%d" % n) for n in (*range(10), LARGE)}
        cases = [Case(name, name.encode(), run.stdout, held_out=name == "9") for name, run in runs.items()]
        outcomes = tuple(Outcome(name, CaseVerdict.AC, run) for name, run in runs.items())
        plan = make_plan(runner, source, cases[-1:], check_exact, self.request.rule)
        baseline = Candidate(0, source, "the original", outcomes)
        return ExpressionWorkload(baseline, Suite(tuple(cases), check_exact), runner, self.request.rule, plan)


@workload(lambda target, options: False)  # it is only ever named
@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[OpenedExpression]:
    with request.open_sandbox() as sandbox:
        yield OpenedExpression(request, sandbox)
