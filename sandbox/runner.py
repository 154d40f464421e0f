"""What runs programs: a Sandbox, or something that stands for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sandbox.guest_bundle import GuestProgram
from sandbox.outcome import Case, Files, Mode, Run, RunLimits

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
        files: Files | None = None,
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
        files: Files | None = None,
    ) -> Run:
        """Raises SandboxError when the sandbox itself failed."""
        ...


def run_on(
    runner: Runner,
    program: str | bytes,
    case: Case,
    *,
    mode: Mode = "fork",
    limits: RunLimits | None = None,
    hash_seed: int = 0,
) -> Run:
    """Run a program on a case: its standard input, and its arguments and files where it has some."""
    more: dict[str, Any] = {"args": case.args} if case.args else {}
    if case.files is not None:
        more["files"] = case.files
    return runner.run(program, case.stdin, mode=mode, limits=limits, hash_seed=hash_seed, **more)
