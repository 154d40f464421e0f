"""`--run COMMAND`: the user's own command says what a function is called with, and which function of a file matters."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.program import Target
from codeopt.workloads.function.recording import UsersCommand, record, run_shares, said_of
from codeopt.workloads.source.functions import read_function


@dataclass(frozen=True)
class RunFirst:
    """Outcome of recording a run."""

    target: Target
    """A function, also where a file was named."""
    recording: Mapping[str, Any]
    """The lines of `said`, as fields of a JSON object."""


def run_first(target: Target, command_line: str, say: Callable[[str], None], python: str | None = None) -> RunFirst:
    """Run a user's command and record the calls of a function.

    Args:
        target: A function, or a file. A file needs an earlier run, which finds the function with the largest self time.
        command_line: The command.
        say: Prints a line.
        python: Value of --python.

    Raises:
        UsageError: The command or the target cannot be used.
        ProgramError: The command makes no call that can be recorded.
    """
    try:
        words = tuple(shlex.split(command_line))
    except ValueError as error:
        raise UsageError(f"--run: {error} in {command_line}") from error
    if not words:
        raise UsageError("--run is empty", hint='give a command, such as --run "python script.py"')
    command = UsersCommand(words, python, 2)  # standard output has only the result
    told: dict[str, Any] = {}
    if not target.name:
        found = run_shares(target.path, command)
        target = Target(target.path, found.functions[0][0])
        told["shares"] = {name: round(share, 4) for name, share in found.functions}
        say(f"own time   {found.words} of {found.seconds:.2f} s; improving {target}")
    recording = record(read_function(target.path, target.name), command)
    for line in said_of(recording, target):
        say(line)
    told |= {"command": list(recording.run.program), "status": recording.run.status, "calls": recording.seen,
              "function": target.name, "lost": list(recording.lost)}  # fmt: skip
    return RunFirst(target, told)
