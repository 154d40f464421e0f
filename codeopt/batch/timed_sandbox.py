"""A sandbox that keeps count of its programs' seconds."""

from __future__ import annotations

from typing import Any

from codeopt_sandbox import Run, Sandbox


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
