"""What measures in a batch: alone on its core, and with its seconds counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codeopt.batch.cores import CoreLock
from codeopt.history import Candidate, Draft, History
from codeopt.judging import Judging
from codeopt.measurement import Suite
from sandbox import Run, Sandbox


class TimedSandbox:
    """A sandbox that adds up how long programs ran in it; otherwise the sandbox itself."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.programs_s = 0.0
        self.runs = 0

    def run(self, *args: Any, **options: Any) -> Run:
        """As Sandbox.run."""
        run = self._inner.run(*args, **options)
        self.programs_s += run.wall_s
        self.runs += 1
        return run

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@dataclass(frozen=True)
class PinnedJudge:
    """A judge that has its core alone while it measures."""

    inner: Judging
    lock: CoreLock

    @property
    def original(self) -> Candidate:
        """Round 0, measured."""
        return self.inner.original

    @property
    def suite(self) -> Suite:
        """What it is judged by."""
        return self.inner.suite

    def measure(self, draft: Draft, history: History, *, gated: bool = True, seed: int = 0) -> Candidate:
        """Run, compare and profile one draft."""
        with self.lock.held():
            return self.inner.measure(draft, history, gated=gated, seed=seed)

    def confirm(self, candidate: Candidate) -> Candidate:
        """The same candidate with new figures."""
        with self.lock.held():
            return self.inner.confirm(candidate)

    def growth(self, source: str) -> tuple[str, str, str]:
        """How cost grows."""
        with self.lock.held():
            return self.inner.growth(source)
