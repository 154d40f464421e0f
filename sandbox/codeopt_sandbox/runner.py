"""Protocols for running programs: a Sandbox, or an object with its interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypedDict, TypeVar, Unpack

from codeopt_sandbox.guest.request import Environment
from codeopt_sandbox.guest_bundle import GuestProgram
from codeopt_sandbox.outcome import Case, Files, Mode, Run, RunLimits

Program = str | bytes | GuestProgram
P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)
"""Type that a runner takes for a program: a text, or a caller's own value of one or several."""


class RunOptions(TypedDict, total=False):
    """Options of a run; one that is left out has the default that its docstring names."""

    args: Sequence[str]
    """The program's arguments. None by default."""
    mode: Mode
    """How its process starts: a fork of the warm interpreter, by default, or a fresh one."""
    limits: RunLimits | None
    """Limits of this run, those of the runner by default."""
    environment: Environment
    """Environment that a run can depend on in addition to its input, the usual one by default. Only a fresh interpreter
    gets its variables."""
    files: Files | None
    """Files in its working folder, on top of the base. The files that it writes there are returned. By default it has
    no folder."""
    without: Sequence[str]
    """Files of the base to leave out. None by default."""


class Runner(Protocol[P_contra]):
    """Runs one program on one input."""

    @property
    def limits(self) -> RunLimits:
        """Default limits of a run."""
        ...

    def run(self, program: P_contra, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> Run:
        """Run a program. Raises SandboxError when the sandbox itself failed."""
        ...

    def restart_guest(self) -> None:
        """Go on with a fresh guest: nothing that an earlier run left behind is in it."""
        ...

    def quiesce(self) -> None:
        """Stop background work for now, so that the run has the measuring core to itself."""
        ...


GuestRunner = Runner[Program]
"""Runs our own programs of the guest too."""


def run_on(runner: Runner[P], program: P, case: Case, **options: Unpack[RunOptions]) -> Run:
    """Run a program on a case: its standard input, in its environment, with its arguments and files where it has
    some."""
    options.setdefault("environment", case.environment)
    if case.args:
        options["args"] = case.args
    if case.files is not None:
        options["files"] = case.files
    return runner.run(program, case.stdin, **options)
