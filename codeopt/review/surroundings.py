"""Shared steps of a review and a check: choose a sandbox that isolates, rank the targets, improve one at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from codeopt.core.budget import Usage
from codeopt.core.errors import ModelError, NoSandbox
from codeopt.core.isolation import open_isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.run_clock import RunClock
from codeopt.core.session import Mounts, Session
from codeopt.core.target import Target
from codeopt.engine.improve import improve
from codeopt.report.result import Result
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.nothing_to_try import require_draft
from codeopt.review.ranking import Ranking, ranked
from codeopt.review.work import Left
from codeopt.workloads.function.corpus.trace_cache import TraceCache, open_trace_cache
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.linked import Linked
from codeopt_sandbox import Sandbox
from codeopt_sandbox.errors import SandboxError

STOPS_ALL = (ModelError, NoSandbox, SandboxError)
"""Errors that would also stop the other targets."""


def isolated(options: ImproveOptions) -> ImproveOptions:
    """Choose a sandbox that isolates, since others wrote the change. Raises NoSandbox where nothing isolates: a plain
    process needs the user's own flag (--sandbox process)."""
    with open_isolated(options, own_code_only=False, notify=lambda line: None, spare=0) as sandbox:
        return replace(options, sandbox=sandbox.backend)


def rank(options: ImproveOptions, targets: Sequence[ReviewTarget], session: Session, clock: RunClock) -> Ranking:
    """Rank the targets by their time under their tests, the longest first. Raises DeadlineReached."""
    session = replace(session, open_sandbox=clock.within(session.open_sandbox))

    def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
        return session.open_sandbox(options, own_code_only=False, notify=session.console.warn, mounts=mounts)

    if not options.use_tests:
        return Ranking(tuple(targets))
    linked = Linked.of(session.interpreter)

    def open_traces(harness: FunctionHarness) -> TraceCache:
        return open_trace_cache(harness, options, session, session.interpreter, linked)

    return ranked(targets, open_with, options.tests, linked, open_traces, clock)


@dataclass
class Improver:
    """One improvement as `codeopt improve` makes it, within the rest of the budget; implements work.Improve."""

    options: ImproveOptions
    session: Session

    def __call__(self, target: ReviewTarget, left: Left, pay: Callable[[Usage], None]) -> Result:
        """Improve one target; only the run's own folder is written. Raises CodeoptError."""
        require_draft(Target(target.file, target.function), self.options)
        own = replace(self.options, max_cost=left.cost_usd)
        session = replace(self.session, on_usage=pay, limit_s=left.seconds)
        result = improve(Target(target.file, target.function), own, session)
        self.session = replace(self.session, asks_server=False)  # it has answered
        return result.require_ended() if isinstance(result.failure, STOPS_ALL) else result.require_drafts()
