"""What a batch's workers open by themselves, from the flags: sandbox, task, proposer. Goes to other processes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codeopt.commands._model import open_proposer, wants_model
from codeopt.commands._sandbox import checker, open_from

if TYPE_CHECKING:
    from codeopt.budget import Budget
    from codeopt.challenge import Strictness
    from codeopt.datasets import Problem
    from codeopt.judging import Judging
    from codeopt.loop import RefineLoop
    from codeopt.models import Model
    from codeopt.proposers import Proposer
    from codeopt.tasks import Task
    from sandbox import Sandbox
    from sandbox.compare import StoppingRule
    from sandbox.judge import Checker

Notify = Callable[[str], None]


@dataclass(frozen=True)
class FlagTools:
    """Implements codeopt.batch.work.Tools by the flags of `codeopt batch`."""

    arguments: argparse.Namespace
    budget: Budget
    deadline: float | None

    @property
    def with_target(self) -> bool:
        """Judge the human's program too."""
        return bool(self.arguments.with_target)

    @property
    def max_cost(self) -> float | None:
        """USD that the whole batch may spend."""
        cost: float | None = self.arguments.max_cost
        return cost

    @property
    def profiled(self) -> bool:
        """Profile the original."""
        return not self.arguments.no_profile

    @property
    def drafts_profiled(self) -> bool:
        """The rules go by the original's profile."""
        return wants_model(self.arguments)

    def open_sandbox(self, core: int) -> Sandbox:
        """A sandbox whose runs have that core. Raises NoSandbox."""
        own = not wants_model(self.arguments) and not self.with_target
        return open_from(self.arguments, own_code_only=own, notify=lambda line: None, core=core)

    def open_task(self) -> Task:
        """The objective, with the least gain that the flags ask for."""
        from codeopt.tasks import open_task

        task = open_task(self.arguments.task)
        if self.arguments.min_gain is None:
            return task
        return replace(task, min_gain=self.arguments.min_gain)  # type: ignore[type-var]

    def check(self) -> Checker:
        """How outputs are compared."""
        return checker(self.arguments)

    @property
    def strictness(self) -> Strictness:
        """What is made of changed inputs."""
        found: Strictness = self.arguments.changed_inputs
        return found

    def rule(self, task: Task) -> StoppingRule:
        """When a comparison stops."""
        from sandbox.compare import StoppingRule

        return StoppingRule(
            max_pairs=self.arguments.max_pairs, worth_having=1 + task.min_gain, clock=self.arguments.clock
        )

    @contextmanager
    def open_function(
        self, problem: Problem, core: int, notify: Notify
    ) -> Iterator[tuple[Task, Judging, Callable[[Proposer], Proposer]]]:
        """The task and the judge for a function, and what makes a proposer keep to it; with a sandbox of its own."""
        from codeopt.commands._function import for_function, function_task
        from codeopt.functions.bench import open_bench
        from codeopt.functions.compare import prepare
        from codeopt.functions.flags import chosen
        from codeopt.functions.target import read_function

        own = not wants_model(self.arguments)

        def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
            return open_from(self.arguments, own_code_only=own, notify=notify, core=core, mounts=mounts)

        task, options = function_task(self.arguments), chosen(self.arguments)
        with open_bench(read_function(problem.path, problem.function), open_with, options.tests) as opened:
            bench, _, judge = prepare(opened, options, self.rule(task), notify, profiled=self.profiled)
            module = bench.target.module
            rounds_judge = replace(judge, profiled=self.profiled and self.drafts_profiled)
            yield task, rounds_judge, lambda proposer: for_function(proposer, module, judge)

    def open_proposer(
        self, task: Task, judge: Judging, work: RefineLoop, wrap: Callable[[Model], Model], notify: Notify
    ) -> Proposer:
        """Who writes the drafts."""
        cases, original = judge.suite.known, judge.original
        folder = self.arguments.run_dir
        return open_proposer(self.arguments, task, cases, original, work, folder, _Voice(notify), wrap)


@dataclass(frozen=True)
class _Voice:
    """Everything that a proposer says is progress here."""

    notify: Notify

    def progress(self, line: str) -> None:
        """What is being done now."""
        self.notify(line)

    def warn(self, line: str) -> None:
        """What the user should know; a batch keeps what matters in its database."""
        self.notify(line)
