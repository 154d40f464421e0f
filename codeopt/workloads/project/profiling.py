"""Profile a project's command, for the command line or an agent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import UNCHANGED
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.workloads._request import WorkloadRequest
from codeopt.workloads.project.command import ProjectCommand, read_command
from codeopt.workloads.project.files import ProjectFiles, read_project
from codeopt.workloads.project.profile import ProjectProfile
from codeopt.workloads.project.project_program import ProjectProgram
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.watch import profile_command
from codeopt_sandbox.base_folder import BaseFolder

if TYPE_CHECKING:
    from codeopt.report.answers import CommandProfileJson

UNLIMITED_S = 24 * 3600.0
"""Time limit of the command as it is where --timeout says nothing, seconds."""


@contextmanager
def open_command(
    request: WorkloadRequest, project: ProjectFiles, command: ProjectCommand | None = None, *, room_mib: int = 0
) -> Iterator[CommandRuns]:
    """Open a sandbox in which a command finds its project.

    Args:
        request: The target and its options.
        project: Files of the project.
        command: The command to run; None for that of the options.
        room_mib: Additional space for files that runs get, MiB.

    Raises:
        UsageError: The command cannot be used.
        NoSandbox: No sandbox runs on this machine.
    """
    options = request.options
    command = command or read_command(options.run or "", project.root, options.python)
    for note in project.notes:
        request.session.console.print(f"note       {note}")
    if options.timeout is None:
        request = replace(request, options=replace(options, timeout=UNLIMITED_S))
    room_mib += project.room_mib
    with BaseFolder(project.files) as base, request.open_sandbox(room_mib=room_mib, base=base) as sandbox:
        yield CommandRuns(sandbox, project, command)


@dataclass(frozen=True)
class CommandProfile:
    """The command's profile, of which project and by which Python."""

    command: str
    profile: ProjectProfile
    project: ProjectFiles
    interpreter: Interpreter | None

    def answer(self) -> CommandProfileJson:
        """The object that `codeopt profile --run --json` prints."""
        from codeopt.report.answer_fields import PythonFields
        from codeopt.report.answers import CommandProfileJson

        said = self.profile.to_json()
        said["notes"] += self.project.notes
        python = PythonFields.maybe(self.interpreter)
        return CommandProfileJson(schema="codeopt.profile-run/1", command=self.command, python=python, **said)


def profile_project(folder: Path, options: ImproveOptions, session: Session, *, counts: bool = False) -> CommandProfile:
    """Run the command of the options in the sandbox, unprofiled and under a profiler.

    Args:
        folder: Folder of the project.
        options: Options with the command.
        session: Session of the user.
        counts: Also count calls and time lines, each in a further run.

    Raises:
        CodeoptError: The command or the sandbox cannot be used.
    """
    options, interpreter = session.find_interpreter(options, folder / "any.py")
    request = WorkloadRequest(Target(folder), ProjectProgram(folder, {}), options, session, interpreter=interpreter)
    project = read_project(folder, options.with_paths, request.imported_in_place(folder))
    request = replace(request, options=replace(options, with_paths=()))  # they are among the project's files
    with open_command(request, project) as runs:
        session.console.progress("running the command, as it is and under a profiler")
        profile = profile_command(runs, UNCHANGED, counts=counts)
    return CommandProfile(options.run or "", profile, project, interpreter)
