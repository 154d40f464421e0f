"""A whole project, judged by a command of its user's: `codeopt improve . --run "python bench.py"`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codeopt.workloads._protocol import workload

if TYPE_CHECKING:
    from codeopt.core.options import ImproveOptions
    from codeopt.core.program import Target
    from codeopt.core.revision import Revision
    from codeopt.workloads import OpenTarget, Workload, WorkloadRequest
    from codeopt.workloads.project.project_program import ProjectProgram
    from codeopt.workloads.project.runs import CommandRuns
    from codeopt_sandbox import Sandbox
    from codeopt_sandbox.profile import Profile


def matches(target: Target, options: ImproveOptions) -> bool:
    """A folder, with a command that runs there."""
    return options.run is not None and not target.name and target.path.is_dir()


def read(target: Target) -> ProjectProgram:
    """The project's modules. Raises UsageError."""
    from codeopt.workloads.project.project_program import read_project, read_text

    return read_text(target.path, read_project(target.path))


@dataclass(frozen=True)
class OpenedProject:
    """A project in its sandbox, not run yet."""

    request: WorkloadRequest
    program: ProjectProgram
    runs: CommandRuns

    @property
    def title(self) -> str:
        """Folder and command."""
        return f"{self.name}: {self.request.options.run}"

    @property
    def name(self) -> str:
        """The folder's."""
        return self.runs.project.root.name or "project"

    @property
    def sandbox(self) -> Sandbox:
        return self.runs.sandbox

    @property
    def other(self) -> Revision | None:
        """The other version; None unless two versions are compared."""
        return self.runs.other.revision if self.runs.other else None

    def profile(self) -> Profile:
        from codeopt.workloads.project.watch import profile_command
        from codeopt.workloads.project.workload import as_profile

        return as_profile(profile_command(self.runs, self.program.revision), self.program.revision)

    def measure(self) -> Workload:
        """Run the command and the tests. Raises ProgramError."""
        from codeopt.core.errors import NotVerifiable
        from codeopt.workloads.project.workload import measure

        if self.runs.other and not self.runs.other.differing:
            said = "; ".join(self.runs.other.notes)
            raise NotVerifiable(f"no file differs that a run is given and that is judged{f': {said}' if said else ''}")
        return measure(self.request, self.program, self.runs)


@workload(matches, read=read, priority=10)
@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[OpenTarget]:
    """Open a command of a project, or two versions of one.

    Raises:
        UsageError: The command, the project or an option cannot be used.
        NoSandbox: No sandbox runs on this machine.
    """
    from codeopt.workloads.project.project_program import ProjectProgram, find_protected_files, read_project
    from codeopt.workloads.project.runs import open_command
    from codeopt.workloads.project.suite import named_tests

    if request.other is not None:
        with _open_versions(request, request.other.target) as found:
            yield found
        return
    assert isinstance(request.program, ProjectProgram)
    program, options = request.program, request.options
    project = read_project(request.target.path, options.with_paths, request.imported_in_place(request.target.path))
    inside = replace(request, options=replace(options, with_paths=()))
    with open_command(inside, project) as runs:
        ground = find_protected_files(runs.command, project.contents, named_tests(options.tests, (project.root,)))
        program = replace(program, ground=ground).require_open()
        yield OpenedProject(request, program, replace(runs, program=program))


@contextmanager
def _open_versions(request: WorkloadRequest, other: Target) -> Iterator[OpenedProject]:
    """Two folders, OLD and NEW, in one sandbox. Raises UsageError, NoSandbox."""
    from codeopt.workloads.project.command import read_command
    from codeopt.workloads.project.project_program import read_both, read_versions
    from codeopt.workloads.project.runs import open_command
    from codeopt.workloads.project.suite import named_tests

    options = request.options
    places = (request.target.path, other.path)
    linked = (request.imported_in_place(*places), request.imported_in_place(*reversed(places)))
    old, new = read_both(*places, options.with_paths, linked)
    names = named_tests(options.tests, (new.root, old.root))
    options = replace(options, with_paths=(), tests=tuple(old.root / name for name in names))
    request, command = replace(request, options=options), read_command(options.run or "", new.root, options.python)
    found = read_versions(old, new, command, names)
    shown = replace(found.old, notes=tuple(dict.fromkeys((*old.notes, *new.notes))))
    with open_command(request, shown, command, room_mib=found.new.room_mib) as runs:
        runs = replace(runs, program=found.program, other=found.new)
        yield OpenedProject(request, found.program, runs)
