"""`--run COMMAND`: the user's own command says what a function is called with, and which function of a file matters."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.target import Target
from codeopt.workloads.function.recording.hot_functions import run_shares
from codeopt.workloads.function.recording.instrumented_run import UsersCommand
from codeopt.workloads.function.recording.recording import record, said_of
from codeopt.workloads.source.functions import read_function

STDERR = 2
"""File descriptor of the command's output: on standard output stands the result, and nothing else."""


@dataclass(frozen=True)
class RunFirst:
    """Outcome of recording a run."""

    target: Target
    """A function, also where a file was named."""
    facts: dict[str, Any]
    """The same as fields of a JSON object."""


def run_first(target: Target, command_line: str, say: Callable[[str], None], python: str | None = None) -> RunFirst:
    """Run a user's command and record what a function is called with; of a file without a name, the function with the
    most time of its own in a run before. python: what --python names. Raises UsageError, ProgramError."""
    command = UsersCommand(_split(command_line), python, STDERR)
    facts: dict[str, Any] = {}
    if not target.name:
        found = run_shares(target.path, command)
        target = Target(target.path, found.first)
        facts["shares"] = {name: round(share, 4) for name, share in found.functions}
        say(f"own time   {found.words} of {found.seconds:.2f} s; improving {target}")
    recording = record(read_function(target.path, target.name), command)
    for line in said_of(recording, target):
        say(line)
    facts |= {"command": list(recording.program), "status": recording.status, "calls": recording.seen,
              "function": target.name, "lost": list(recording.lost)}  # fmt: skip
    return RunFirst(target, facts)


def _split(command_line: str) -> tuple[str, ...]:
    try:
        command = tuple(shlex.split(command_line))
    except ValueError as error:
        raise UsageError(f"--run: {error} in {command_line}") from error
    if not command:
        raise UsageError('--run: say what to run, such as --run "python script.py"')
    return command
