"""A runner and a workload by the public protocols that run nothing: a function says what each run gives. For what a
judge asks for, and what it makes of the answers, where no clock and no sandbox may decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from codeopt.core.history import Candidate
from codeopt.core.revision import Revision
from codeopt.workloads import Stage, Suite, Workload
from codeopt.workloads._protocol import Checked
from codeopt_sandbox.compare import Plan, StoppingRule
from codeopt_sandbox.guest.request import CONFIRMING, USUAL, Environment
from codeopt_sandbox.outcome import Case, Files, Mode, Outcome, Run, RunLimits, run_on
from codeopt_sandbox.verdict import check_tokens, judge
from tests.support.candidates import run


@dataclass(frozen=True)
class Asked:
    """One run that was asked for."""

    program: str
    stdin: bytes
    mode: Mode
    environment: Environment = USUAL


Gives = Callable[[Asked], Run]


@dataclass
class ScriptedRunner:
    """Runs nothing: `gives` says what a run gives."""

    gives: Gives
    asked: list[Asked] = field(default_factory=list)
    """Every run, in order."""
    limits: RunLimits = field(default_factory=RunLimits)
    restarts: int = 0
    quiet_from: list[int] = field(default_factory=list)
    """Number of the runs before each time that what goes on in the background was waited for."""

    def run(
        self, program: Revision | str, stdin: bytes = b"", /, *, args: Sequence[str] = (), mode: Mode = "fork",
        limits: RunLimits | None = None, environment: Environment = USUAL, files: Files | None = None,
    ) -> Run:  # fmt: skip
        """The scripted run."""
        text = program if isinstance(program, str) else program.text
        self.asked.append(Asked(text, stdin, mode, environment))
        return self.gives(self.asked[-1])

    def restart_guest(self) -> None:
        """Count it."""
        self.restarts += 1

    def quiesce(self) -> None:
        """Nothing goes on in the background: keep when it was asked for."""
        self.quiet_from.append(len(self.asked))


SLOW, FAST = "x = 1\n", "x = 2\n"
CASES = (Case("a", b"1\n", b"1\n"), Case("b", b"2\n", b"2\n", held_out=True))
UNSEEN = (Case("new", b"3\n", b"3\n", held_out=True, environment=CONFIRMING),)


def echo(**seconds: float) -> Gives:
    """Programs that print their input; FAST takes half as long as SLOW, or what is said by name."""
    took = {SLOW: seconds.get("slow", 0.4), FAST: seconds.get("fast", 0.2)}

    def gives(asked: Asked) -> Run:
        each = took.get(asked.program, 0.2)
        return run(stdout=asked.stdin, cpu_s=each, wall_s=each)

    return gives


@dataclass(frozen=True)
class ScriptedWorkload(Workload):
    """A workload whose runs are scripted; right on CASES, timed on the first of them."""

    runner: ScriptedRunner
    suite: Suite = Suite(CASES, check_tokens)
    rule: StoppingRule = StoppingRule()
    plan: Plan = Plan(CASES[:1], "cpu", 1)
    unseen: tuple[Case, ...] = UNSEEN
    found: Checked = Checked()
    """What its own check finds."""
    similar: tuple[Case, ...] = ()
    stages: list[Stage] = field(default_factory=list)
    """Why its own check was asked."""

    @property
    def baseline(self) -> Candidate:
        """SLOW, right."""
        return Candidate(0, Revision.of(SLOW), "the original", tuple(map(self._original, self.suite.cases)))

    def _original(self, case: Case) -> Outcome:
        return judge(case, self.runner.gives(Asked(SLOW, case.stdin, "exec")), self.suite.check)

    def run_case(self, draft: Revision, case: Case) -> Outcome:
        """Judged by the suite's checker."""
        return judge(case, run_on(self.runner, draft, case, mode="exec"), self.suite.check)

    def explain(self, draft: Revision, case: Case, outcome: Outcome) -> Outcome:
        """Marked as explained."""
        return Outcome(outcome.case, outcome.verdict, outcome.run, f"explained: {outcome.detail}")

    def check(self, draft: Revision, stage: Stage) -> Checked:
        """Scripted answer of the workload's own checks."""
        self.stages.append(stage)
        return self.found

    def unseen_cases(self) -> tuple[Case, ...]:
        """Scripted cases for a confirmation."""
        return self.unseen

    def similar_inputs(self, case: Case) -> tuple[Case, ...]:
        """Scripted inputs like a case."""
        return self.similar
