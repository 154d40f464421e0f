"""Runs of the user's command on an edited project, with the interface of a sandbox for comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Unpack

from codeopt.core.program import TargetFiles, changes_of
from codeopt.core.revision import Revision
from codeopt.core.words import error_line
from codeopt.workloads._protocol import WorkloadRequest
from codeopt.workloads._runs import AroundRunner
from codeopt.workloads.project.command import ProjectCommand, read_command
from codeopt.workloads.project.project_program import OtherVersion, ProjectFiles
from codeopt_sandbox import Sandbox
from codeopt_sandbox.guest.request import USUAL
from codeopt_sandbox.outcome import Files, Run, RunLimits, RunOptions
from codeopt_sandbox.owner import BaseFolder

COMMAND = "command"
"""Purpose of the runs of the command itself."""
AS_IT_IS = "as it is"
"""The original's side of a comparison."""
COMPILE = ("-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
"""Without a look at the module's time, which is the same for all that a run is given. What does not compile is left
out."""
FIRST_MIB = 64.0
"""Limit of that bytecode, MiB."""
LEAST_LEFT = 0.02
"""Minimum share of a run's time that counts as timed, if the bodies take next to nothing."""


# Bytecode of a project's modules: a user's own run finds it from the run before, and a run here has no run before.


@dataclass
class Bytecode:
    """Bytecode of modules, as far as Python was asked for it."""

    shared: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Paths of the bytecode that all runs find, by module of the project as it is."""
    edited: dict[tuple[str, bytes], Files] = field(default_factory=dict)
    """Files of bytecode by path and content of an edited module."""
    asked: set[str] = field(default_factory=set)
    """Sides of a comparison that were run once for what they import."""

    def of(self, path: str, content: bytes) -> Files:
        """Bytecode of an edited module; nothing where it is not known."""
        return self.edited.get((path, content), ())

    def has(self, path: str, content: bytes) -> bool:
        """Return True if an edited module was compiled."""
        return (path, content) in self.edited

    def keep(self, modules: Mapping[str, bytes], run: Run) -> None:
        """Store the bytecode that a run wrote of edited modules. A module that does not compile gets an empty entry."""
        found = dict(_written(modules, run))
        for path, content in modules.items():
            self.edited[path, content] = tuple(pair for place, pair in found.items() if place[0] == path)

    def share(self, modules: Iterable[str], run: Run) -> Files:
        """The bytecode that a run wrote of the project's modules as they are, for all runs to find."""
        new: dict[str, bytes] = {}
        for (path, place), (_, content) in _written(modules, run):
            known = self.shared.get(path, ())
            if place not in known:
                self.shared[path] = (*known, place)
                new[place] = content
        return tuple(new.items())


@dataclass
class CommandRuns(AroundRunner):
    """Runner of a project's command: its program is a revision of the project, its answer what the command prints and
    writes."""

    sandbox: Sandbox
    project: ProjectFiles
    command: ProjectCommand
    program: TargetFiles | None = None
    """The files that a draft may edit; None where nothing is edited."""
    other: OtherVersion | None = None
    """The other side of a comparison of two versions, which has all files of its own."""
    seen: Callable[[Run], Run] = lambda run: run
    """Parts of a run's output and files that count."""
    bytecode: Bytecode = field(default_factory=Bytecode)
    beside: Files = ()
    """Files that each run gets in addition to the project's."""
    left_out_s: tuple[float, float] = (0.0, 0.0)
    """Seconds of each run, of the processor and of the clock, that are a benchmark tool's own and not timed."""
    purpose: str = COMMAND
    """Purpose of its runs, as `spent` names it."""
    load: float = 1.0
    """Seconds of the clock in which other processes let a run work for one second, as the first runs were let."""
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds of the clock that runs took, by their purpose."""

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> Run:
        """Run the command in a fresh interpreter.

        Option `files` replaces files of the project or adds others. Option `args` is a whole line, in the form of
        `ProjectCommand.line`, which replaces the command's.

        Raises:
            SandboxError: The sandbox failed.
        """
        edited, removed = self._edited(program)
        known = {*self.project.contents, *edited} - set(removed)
        given = options.get("files") or ()
        more = (*self.beside, *(pair for pair in given if pair[0] not in known))
        line = options.get("args", ())
        asked = self.command.given(line) if line else self.command
        command = asked.program(self._roots, options.get("environment", USUAL), watched=bool(more))
        self._compile(edited, removed)
        placed = {**edited, **{path: content for path, content in given if path in known}}
        run = self._run(command, stdin, options.get("limits"), placed, more, removed)
        self.spent[self.purpose] = self.spent.get(self.purpose, 0.0) + run.wall_s
        cpu_s = max(run.cpu_s - self.left_out_s[0], run.cpu_s * LEAST_LEFT)
        wall_s = max(run.wall_s - self.left_out_s[1], run.wall_s * LEAST_LEFT)
        return self.seen(replace(run, cpu_s=cpu_s, wall_s=wall_s))

    def first_run(self, program: Revision, limits: RunLimits | None = None) -> Run:
        """Run the original before anything else: the bytecode that it writes is there for all further runs, so that its
        time is no measure. Raises SandboxError."""
        limits = limits or self.limits
        side = AS_IT_IS if self.purpose == COMMAND else str(self.command.words)
        run = self._share_bytecode(side, {}, (), limits)
        if run is None or run.stop == "output":
            return self.run(program, limits=limits)
        self.spent[self.purpose] = self.spent.get(self.purpose, 0.0) + run.wall_s
        written = tuple(file for file in run.written if not file.path.endswith(".pyc"))
        return self.seen(replace(run, written=written))

    def _run(
        self, command: str, stdin: bytes, limits: RunLimits | None, placed: Mapping[str, bytes], more: Files = (),
        removed: Sequence[str] = (),
    ) -> Run:  # fmt: skip
        """Run with some of the project's files in place of others, each with its bytecode where that is known."""
        compiled = tuple(pair for path, content in placed.items() for pair in self.bytecode.of(path, content))
        kept = {place for place, _ in compiled}
        gone = (*placed, *removed)
        stale = tuple(place for path in gone for place in self.bytecode.shared.get(path, ()) if place not in kept)
        return self.sandbox.run(
            command, stdin, limits=limits, files=(*placed.items(), *compiled, *more), without=(*removed, *stale)
        )

    def _edited(self, revision: Revision) -> tuple[dict[str, bytes], tuple[str, ...]]:
        """The files that a revision changes, as they are to be written, and those that it has no more."""
        if self.other and revision == self.other.revision:
            texts = self.other.project.contents
            edited = {path: texts[path] for path in sorted(self.other.differing) if path in texts}
            return edited, tuple(sorted(self.other.differing - texts.keys()))
        changes = changes_of(self.program, revision) if self.program else ()
        texts = {each.path: each.text.encode() for each in changes}
        return {path: text for path, text in texts.items() if text != self.project.contents.get(path)}, ()

    def with_edits(self, revision: Revision) -> Files:
        """All files of the project."""
        if self.other and revision == self.other.revision:
            return self.other.project.files
        edited, _ = self._edited(revision)
        return tuple((path, edited.get(path, content)) for path, content in self.project.files)

    def _compile(self, edited: Mapping[str, bytes], removed: Sequence[str] = ()) -> None:
        """Have the bytecode of what the command imports, on either side, and of edited modules: a user's own run finds
        that from the run before."""
        # Time limit of a command that is run for the bytecode of what it imports, seconds
        limits = replace(self.limits, seconds=min(self.limits.seconds, 20.0))
        if self.purpose == COMMAND:
            self._share_bytecode(AS_IT_IS, {}, (), limits)
        new = {
            path: text for path, text in edited.items() if path.endswith(".py") and not self.bytecode.has(path, text)
        }
        if new:
            command = replace(self.command, words=(*COMPILE, *new))
            compiling = replace(self.limits, output_mib=FIRST_MIB)
            run = self._run(command.program(self._roots), b"", compiling, edited, removed=removed)
            self.bytecode.keep(new, run)
        if self.other and self.purpose == COMMAND and (edited or removed):
            self._share_bytecode("the other version", edited, removed, limits)

    def _share_bytecode(
        self, side: str, placed: Mapping[str, bytes], removed: Sequence[str], limits: RunLimits
    ) -> Run | None:
        """Run the command once on a side, and put the bytecode of its unchanged modules next to them.

        Returns None if that was done before, or if bytecode is not shared.
        """
        base = self.sandbox.base
        if base is None or side in self.bytecode.asked:
            return None
        self.bytecode.asked.add(side)
        command = replace(self.command, variables=(*self.command.variables, ("PYTHONDONTWRITEBYTECODE", "")))
        limits = replace(limits, output_mib=FIRST_MIB)
        program = command.program(self._roots, watched=bool(self.beside))
        run = self._run(program, b"", limits, placed, self.beside, removed)
        base.add(self.bytecode.share(self.project.contents.keys() - placed.keys(), run))
        return run

    @property
    def _roots(self) -> tuple[str, ...]:
        """Folders for sys.path, relative to the project: of two versions those of the one that has more."""
        other = self.other.project.import_roots if self.other else ()
        return max(self.project.import_roots, other, key=len)

    def allow_after(self, plain: Run) -> None:
        """Give further runs a multiple of what the command took as it is, within the limit that there is."""
        # Time limit of a run: a multiple of the time of the command as it is, but no less than so many seconds
        self.sandbox.allow(min(self.limits.seconds, max(60.0, 10 * plain.wall_s)))


def error_of(run: Run) -> str:
    """Return the line of a run's output that explains its failure, or an empty text."""
    return error_line(b"\n".join((run.stdout, run.stderr)).decode("utf-8", "replace"))


def _written(modules: Iterable[str], run: Run) -> Iterator[tuple[tuple[str, str], tuple[str, bytes]]]:
    """(module, path), (path, content) of each file that Python keeps of one of these modules."""
    known = frozenset(modules)
    for file in run.written:
        place = PurePosixPath(file.path)
        if place.suffix == ".pyc" and place.parent.name == "__pycache__" and file.content:
            path = (place.parent.parent / f"{place.name.partition('.')[0]}.py").as_posix()
            if path in known:
                yield (path, file.path), (file.path, file.content)


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
        # Time limit of the command as it is where --timeout says nothing, seconds
        request = replace(request, options=replace(options, timeout=24 * 3600.0))
    room_mib += project.room_mib
    with BaseFolder(project.files, room_mib) as base, request.open_sandbox(base=base) as sandbox:
        yield CommandRuns(sandbox, project, command)
