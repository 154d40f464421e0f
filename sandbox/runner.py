"""What runs programs: a Sandbox, or something that stands for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sandbox.guest_bundle import GuestProgram
from sandbox.outcome import Mode, Run, RunLimits

Program = str | bytes | GuestProgram


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

    def restart_guest(self) -> None:
        """Go on with a fresh guest: nothing that an earlier run left behind is in it."""
        ...

    def quiesce(self) -> None:
        """Leave the measuring core to the run for now: nothing goes on in the background."""
        ...


class GuestRunner(Runner, Protocol):
    """Runs our own programs of the guest too."""

    def run(
        self,
        program: Program,
        stdin: bytes = b"",
        *,
        args: Sequence[str] = (),
        mode: Mode = "fork",
        limits: RunLimits | None = None,
        hash_seed: int = 0,
    ) -> Run:
        """Raises SandboxError when the sandbox itself failed."""
        ...
