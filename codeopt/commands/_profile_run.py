"""`codeopt profile [PATH] --run COMMAND`: where the time of a user's own command goes, across a whole project."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from codeopt.commands import _flags
from codeopt.errors import UsageError
from codeopt.options import ImproveOptions
from codeopt.target import Target

EXPORTS = ("speedscope",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument(
        "--run", metavar="COMMAND", help="a command of a project, run in the sandbox on a copy of what git tracks in "
        "the folder TARGET (default: the current one)",
    )  # fmt: skip
    parser.add_argument(
        "--export", nargs=2, metavar=("speedscope", "FILE"), help="with --run: the profile for speedscope.app"
    )


def profile_run(arguments: argparse.Namespace) -> int:
    """Profile it; print the tree, or one JSON object."""
    from codeopt.console import Console
    from codeopt.program import Program, write_whole
    from codeopt.report import python_line
    from codeopt.session import Session
    from codeopt.workloads import WorkloadRequest
    from codeopt.workloads.project.files import read_project
    from codeopt.workloads.project.opening import open_command
    from codeopt.workloads.project.shown import speedscope, tree_of
    from codeopt.workloads.project.watch import profile_command

    options, folder = _flags.options_of(arguments), Path(arguments.target or ".")
    _check(arguments, folder)
    session = Session(Console(quiet=arguments.quiet))
    options, interpreter = session.find_interpreter(options, folder / "any.py")
    project = read_project(folder, options.with_paths)
    request = WorkloadRequest(Target(folder), Program(folder, "", ""), _not_with(options), session)
    with session.console, open_command(request, project) as runs:
        session.console.progress("running the command, as it is and under a profiler")
        profile = profile_command(runs, "")
    if arguments.export:
        write_whole(Path(arguments.export[1]), speedscope(profile, options.run or ""))
    if arguments.json:
        python: Any = interpreter.to_json() if interpreter else None
        found = {"schema": "codeopt.profile-run/1", "command": options.run, "python": python, **profile.to_json()}
        print(json.dumps({**found, "notes": [*found["notes"], *project.notes]}))
    else:
        print(f"{python_line(interpreter)}\n{tree_of(profile, dict(project.files))}")
    return 0


def _check(arguments: argparse.Namespace, folder: Path) -> None:
    """Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"profile --run takes the folder of a project, and {folder} is none")
    if arguments.html:
        raise UsageError("--html is of a program's profile; with --run --export speedscope FILE writes one to look at")
    if arguments.export and arguments.export[0] not in EXPORTS:
        raise UsageError(f"--export {arguments.export[0]}: there is {', '.join(EXPORTS)}, and a FILE after it")


def _not_with(options: ImproveOptions) -> ImproveOptions:
    """What --with names is among the project's files."""
    from dataclasses import replace

    return replace(options, with_paths=())
