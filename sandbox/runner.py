"""What runs programs: a Sandbox, or something that stands for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sandbox.outcome import Mode, Run, RunLimits


class Runner(Protocol):
    """Runs one program on one input."""

    @property
    def limits(self) -> RunLimits:
        """What a run may use unless it is said otherwise."""
        ...

    def run(
        self,
        program: str | bytes,
        stdin: bytes = b"",
        *,
        args: Sequence[str] = (),
        mode: Mode = "fork",
        limits: RunLimits | None = None,
        hash_seed: int = 0,
    ) -> Run:
        """Raises SandboxError when the sandbox itself failed."""
        ...

    def quiesce(self) -> None:
        """Leave the measuring core to the run for now: nothing goes on in the background."""
        ...
