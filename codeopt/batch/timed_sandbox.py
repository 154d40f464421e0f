"""A sandbox that adds up its programs' time."""

from __future__ import annotations

from typing import Any

from codeopt_sandbox import Run, Sandbox


class TimedSandbox:
    """A sandbox that adds up the wall time of its runs, seconds; otherwise the inner sandbox itself."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.programs_s = 0.0
        self.runs = 0

    def run(self, *args: Any, **options: Any) -> Run:
        """Run a program as Sandbox.run does, and count it. Raises SandboxError."""
        run = self._inner.run(*args, **options)
        self.programs_s += run.wall_s
        self.runs += 1
        return run

    def add(self, other: TimedSandbox) -> None:
        """Count the runs of another sandbox as this one's."""
        self.programs_s += other.programs_s
        self.runs += other.runs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
