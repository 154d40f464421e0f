"""Profile a project's command, for an agent or on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import join
from textwrap import wrap
from typing import TYPE_CHECKING

from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import UNCHANGED
from codeopt.core.sanitize import inline, log_line, printable
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.core.words import clock, took
from codeopt.report.stacks import CallNode, call_tree
from codeopt.workloads._request import WorkloadRequest
from codeopt.workloads.project.command import ProjectCommand, read_command
from codeopt.workloads.project.files import ProjectFiles, read_project
from codeopt.workloads.project.profile import IMPORTS, N_PLUS_1, ProjectProfile
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


# A command's profile on a terminal: functions, lines, and with -v the call tree, libraries and imports.

LEAST = 0.02
"""Smaller shares are not shown to people."""
DEEPEST = 12
"""Maximum depth of the tree of calls that is shown."""
MOST = 12
"""Maximum number of rows of a table."""
TARGETS = 5
"""Maximum number of targets that are shown."""
SMALL = 0.1
"""Share of the CPU time in the project's functions below which imports may be worth more."""
SAMPLED = "Lines are sampled: time in a loop is spread over its lines. -v times each line."
"""Note below the lines that were not timed one by one."""
BUSY = 0.2
"""Wait for a core, as a share of the wall time, from which on it is reported."""


def profile_text(
    command: str, profile: ProjectProfile, files: Mapping[str, bytes], *, verbose: bool, folder: str = "."
) -> str:
    """Format a profile for a terminal. `verbose` adds the call tree, targets, libraries and imports."""
    parts = [part for part in profile.parts if part.seconds >= 0.005]
    out = [
        f"{inline(command, 200)}: {took(profile.seconds)} {clock('wall')}, {took(profile.cpu_s)} {clock('cpu')}",
        *(f"  {row}" for row in wrap(", ".join(f"{part.name} {took(part.seconds)}" for part in parts), 76)),
    ]
    waited = _waited(profile)
    out += waited if profile.waits_most else []
    functions = [f for f in profile.functions if f.own_share >= LEAST][:MOST]
    counted = any(f.calls is not None for f in functions)
    out += ["", f"   self   total{'       calls' * counted}  function"] * bool(functions)
    for f in functions:
        calls = f" {f.count:>11}" * counted
        library = f"  ({f.library_share:.0%} in libraries)" if f.library_share >= LEAST else ""
        out.append(f"{f.own_share:>7.1%} {f.total_share:>7.1%}{calls}  {printable(f.named)}{library}")
    lines = [line for line in profile.lines if line.own_share >= LEAST][:MOST]
    out += ["", "   self   line"] * bool(lines)
    for line in lines:
        source = files.get(line.file, b"").decode("utf-8", "replace").split("\n")
        text = source[line.line - 1] if 0 < line.line <= len(source) else ""
        out.append(f"{line.own_share:>7.1%}   {printable(line.file)}:{line.line}  {inline(text.strip(), 90)}")
    out += [SAMPLED] * bool(lines and not verbose)
    asked = [f"  {printable(each.words)}" for each in profile.repeated_queries[:MOST]]
    out += ["", f"Queries, {N_PLUS_1}:", *asked] if asked else []
    out += [] if profile.waits_most else waited
    out += _details(profile) if verbose else []
    out.append("")
    out += [f"Note: {note}" for note in profile.notes]
    if profile.queued_s > BUSY * profile.seconds:
        out.append(f"Note: this machine is busy: the command waited {took(profile.queued_s)} for a core, not counted.")
    if (ours := _of_project(profile)) < SMALL:
        out.append(f"This project takes {ours:.0%} of the CPU time: a faster function cannot save more.")
    following = next_step(command, profile, folder)
    return "\n".join(log_line(line, 2000) for line in [*out, *[f"Next: {following}"] * bool(following)])


def next_step(command: str, profile: ProjectProfile, folder: str = ".") -> str:
    """Return a command to paste: the improvement, or the imports if they take most of the time.

    Empty if the project's own functions take so little that no improvement of them would show.
    """
    slowest = next((part.name for part in profile.parts), "")
    interpreter, _, rest = command.partition(" ")
    if _of_project(profile) >= SMALL:
        return join(["codeopt", "improve", *[folder] * (folder != "."), "--run", command])
    is_import = slowest == IMPORTS and interpreter in ("python", "python3")
    return f"{interpreter} -X importtime {rest}" if is_import else ""


def _of_project(profile: ProjectProfile) -> float:
    return sum(f.own_share for f in profile.functions)


def _details(profile: ProjectProfile) -> list[str]:
    """Format the tree of calls, targets, libraries, imports and the interpreter's start."""
    branches = list(_branches(call_tree(profile.stacks(""), LEAST), 0))
    out = ["", f"Call tree by total {clock('cpu')}", *branches] if branches else []
    targets = [f for f in profile.targets if f.expected_gain >= LEAST][:TARGETS]
    out += ["", "Functions by largest possible gain"] * bool(targets)
    out += [f"  {f.expected_gain:>6.1%}  {printable(f.named)}  ({f.why})" for f in targets]
    for title, rows in (("Libraries by calling line", profile.libraries), ("Imports", profile.imports)):
        large = [row for row in rows if row.share >= LEAST][:MOST]
        out += ["", title] * bool(large)
        for row in large:
            where = f"{printable(row.file)}:{row.line}" if row.file else "no line of the project"
            out.append(f"  {row.share:>6.1%}  {printable(row.library)}  {where}")
    started, waited = f"{profile.start_share:.1%} of {clock('cpu')}", f"{profile.waiting_share:.1%} of {clock('wall')}"
    return [*out, "", f"Start of the interpreter {started}, waiting {waited}"]


def _waited(profile: ProjectProfile) -> list[str]:
    """Format lines at which the command waits, and the wait for its own threads and processes as one row."""
    out = []
    for row in [row for row in profile.waits if row.share >= LEAST and not row.for_others][:MOST]:
        where = printable(f"{row.file}:{row.line} in {row.qualname}") if row.file else "no line of the project"
        out.append(f"  {row.share:>6.1%}  {where}{f' ({printable(row.library)})' if row.library else ''}")
    others = sum(row.share for row in profile.waits if row.for_others)
    out += [f"  {min(others, 1.0):>6.1%}  for its own threads and processes"] if others >= LEAST else []
    return ["", "Waiting, shares of wall time", *out] if out else []


def _branches(nodes: tuple[CallNode, ...], depth: int) -> Iterator[str]:
    """Format the functions of the project; libraries and the interpreter's start have no file."""
    for node in nodes if depth <= DEEPEST else ():
        if node.frame.file:
            yield f"  {node.share:>6.1%}  {'  ' * depth}{printable(f'{node.frame.file}::{node.frame.name}')}"
            yield from _branches(node.below, depth + 1)
