"""Protocols of whatever runs programs: a Sandbox, or something that stands for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypedDict, TypeVar, Unpack

from codeopt_sandbox.guest_bundle import GuestProgram
from codeopt_sandbox.outcome import Case, Files, Mode, Run, RunLimits

Program = str | bytes | GuestProgram
P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)
"""What a runner takes for a program: a text, or a caller's own value of one or several."""


class RunOptions(TypedDict, total=False):
    """Options of a run; one that is left out has the default that its docstring names."""

    args: Sequence[str]
    """The program's arguments: none."""
    mode: Mode
    """A fork of the warm interpreter or a fresh one: "fork"."""
    limits: RunLimits | None
    """Limits of the run; the runner's by default."""
    hash_seed: int
    """Hash seed, i.e. the order of sets of strings; 0 by default."""
    files: Files | None
    """Copies of these are in its working folder, and what it writes there comes back: None, it has no folder."""
    without: Sequence[str]
    """Files of the sandbox's base that its working folder has not: none."""


class Runner(Protocol[P_contra]):
    """Runs one program on one input."""

    @property
    def limits(self) -> RunLimits:
        """Default limits of a run."""
        ...

    def run(self, program: P_contra, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> Run:
        """Raises SandboxError when the sandbox itself failed."""
        ...

    def restart_guest(self) -> None:
        """Go on with a fresh guest: nothing that an earlier run left behind is in it."""
        ...

    def quiesce(self) -> None:
        """Leave the measuring core to the run for now: nothing goes on in the background."""
        ...


class GuestRunner(Runner[Program], Protocol):
    """Runs our own programs of the guest too."""


def run_on(runner: Runner[P], program: P, case: Case, **options: Unpack[RunOptions]) -> Run:
    """Run a program on a case: its standard input, and its arguments and files where it has some."""
    if case.args:
        options["args"] = case.args
    if case.files is not None:
        options["files"] = case.files
    return runner.run(program, case.stdin, **options)
