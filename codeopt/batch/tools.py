"""What a batch's workers are opened with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

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


class Tools(Protocol):
    """What the command line asks for, for each worker to open by itself; goes to other processes, so it is pickled."""

    @property
    def with_target(self) -> bool:
        """Judge the human's program too, where the set has one."""
        ...

    @property
    def max_cost(self) -> float | None:
        """USD that the whole batch may spend."""
        ...

    @property
    def deadline(self) -> float | None:
        """Seconds since the epoch after which no round is begun."""
        ...

    @property
    def budget(self) -> Budget:
        """Of each problem."""
        ...

    @property
    def profiled(self) -> bool:
        """Profile the original."""
        ...

    @property
    def drafts_profiled(self) -> bool:
        """Profile drafts too: the proposer reads it."""
        ...

    def open_sandbox(self, core: int) -> Sandbox:
        """A sandbox whose runs have that core. Raises NoSandbox."""
        ...

    def open_task(self) -> Task:
        """The objective."""
        ...

    def check(self) -> Checker:
        """How outputs are compared."""
        ...

    @property
    def strictness(self) -> Strictness:
        """What is made of changed inputs."""
        ...

    def rule(self, task: Task) -> StoppingRule:
        """When a comparison stops."""
        ...

    def open_function(
        self, problem: Problem, core: int, notify: Notify
    ) -> AbstractContextManager[tuple[Task, Judging, Callable[[Proposer], Proposer]]]:
        """The task and the judge for a function, and what makes a proposer keep to it; with a sandbox of its own."""
        ...

    def open_proposer(
        self, task: Task, judge: Judging, work: RefineLoop, wrap: Callable[[Model], Model], notify: Notify
    ) -> Proposer:
        """Who writes the drafts."""
        ...
