"""What a review and a check work with: a sandbox that isolates, targets in their order, one improvement at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from codeopt.core.budget import Usage
from codeopt.core.isolation import open_isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.session import Mounts, Session
from codeopt.core.target import Target
from codeopt.engine.improve import improve
from codeopt.report.result import Result
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.ranking import Ranking, ranked
from codeopt.review.work import Left
from codeopt_sandbox import Sandbox


def isolated(options: ImproveOptions) -> ImproveOptions:
    """With a sandbox that isolates. Raises NoSandbox where nothing does: what a change holds was written by others, and
    plain processes need the user's word (--sandbox process)."""
    with open_isolated(options, own_code_only=False, notify=lambda line: None) as sandbox:
        return replace(options, sandbox=sandbox.backend)


def rank(options: ImproveOptions, targets: list[ReviewTarget], session: Session) -> Ranking:
    """The targets, those that take longest under their tests first."""

    def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
        return session.open_sandbox(options, own_code_only=False, notify=session.console.warn, mounts=mounts)

    if not options.use_tests:
        return Ranking(tuple(targets))
    return ranked(targets, open_with, options.tests, session.console.progress)


@dataclass(frozen=True)
class Improver:
    """Implements codeopt.review.work.Improve: what `codeopt improve` does, within what is left of the budget."""

    options: ImproveOptions
    session: Session

    def __call__(self, target: ReviewTarget, left: Left, pay: Callable[[Usage], None]) -> Result:
        """One improvement; nothing is written but the run's own folder."""
        own = replace(self.options, max_seconds=left.seconds, max_cost=left.cost_usd)
        return improve(Target(target.file, target.function), own, replace(self.session, on_usage=pay))
