"""Runs the user's command on the project with some of its files edited: what stands for a sandbox in comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Unpack

from codeopt.core.program import TargetFiles, changes_of
from codeopt.core.revision import Revision
from codeopt.workloads.project.command import ProjectCommand
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.two_versions import OtherVersion
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import Files, Run, RunLimits
from codeopt_sandbox.runner import RunOptions

COMPILE = ("-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
"""Without a look at the module's time, which each run's copies have anew. What does not compile is left out."""


LIMIT_FACTOR = 10
"""Time limit of a run, as a multiple of the time of the command as it is."""
LEAST_LIMIT_S = 60.0
"""Lower bound of that limit, seconds."""
LEAST_LEFT = 0.02
"""Minimum share of a run's time that counts as timed, where the bodies take next to nothing."""


@dataclass(frozen=True)
class CommandRuns:
    """Runner of a project's command: its program is a revision of the project, its answer what the command prints and
    writes."""

    sandbox: Sandbox
    project: ProjectFiles
    command: ProjectCommand
    program: TargetFiles | None = None
    """The files that a draft may edit; None where nothing is edited."""
    other: OtherVersion | None = None
    """The other side of a comparison of two versions, which has all files of its own."""
    seen: Callable[[bytes], bytes] = lambda output: output
    """Part of an output that counts."""
    bytecode: dict[tuple[str, bytes], Files] = field(default_factory=dict)
    """By path and content of a module: what Python makes of it, once it was asked."""
    beside: Files = ()
    """Put beside the project's files in each run."""
    left_out_s: tuple[float, float] = (0.0, 0.0)
    """Seconds of each run, of the processor and of the clock, that are a benchmark tool's own and not timed."""
    purpose: str = "command"
    """Purpose of its runs, as `spent` names it."""
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds of the clock that runs took, by their purpose."""

    @property
    def limits(self) -> RunLimits:
        """Limits of the sandbox."""
        return self.sandbox.limits

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> Run:
        """Always a fresh interpreter. files: in place of the project's, others beside them; args: a whole line, as
        `ProjectCommand.line`, in place of the command's. Raises SandboxError."""
        known = {path for path, _ in self.with_edits(program)}
        given = options.get("files") or ()
        more = (*self.beside, *(pair for pair in given if pair[0] not in known))
        line = options.get("args", ())
        asked = self.command.given(line) if line else self.command
        command = asked.program(self.project.import_roots, options.get("hash_seed", 0), watched=bool(more))
        files = _in_place(self.with_bytecode(program), {path: content for path, content in given if path in known})
        run = self.sandbox.run(command, stdin, limits=options.get("limits"), files=(*files, *more))
        self.spent[self.purpose] = self.spent.get(self.purpose, 0.0) + run.wall_s
        cpu_s = max(run.cpu_s - self.left_out_s[0], run.cpu_s * LEAST_LEFT)
        wall_s = max(run.wall_s - self.left_out_s[1], run.wall_s * LEAST_LEFT)
        return replace(run, stdout=self.seen(run.stdout), cpu_s=cpu_s, wall_s=wall_s)

    def allow_after(self, plain: Run) -> None:
        """Give further runs a multiple of what the command took as it is, within the limit that there is."""
        self.sandbox.allow(min(self.limits.seconds, max(LEAST_LIMIT_S, LIMIT_FACTOR * plain.wall_s)))

    def with_edits(self, revision: Revision) -> Files:
        """All files of the project."""
        if self.other and revision == self.other.revision:
            return self.other.files
        changes = changes_of(self.program, revision) if self.program else ()
        edited = {each.path: each.text.encode() for each in changes}
        return tuple((path, edited.get(path, content)) for path, content in self.project.files)

    def with_bytecode(self, revision: Revision) -> Files:
        """All files of the project with their bytecode: a user's own run finds that from the run before."""
        files = self.with_edits(revision)
        todo = [(path, content) for path, content in files if path.endswith(".py")]
        new = [path for path, content in todo if (path, content) not in self.bytecode]
        if new:
            command = replace(self.command, words=(*COMPILE, *new))
            run = self.sandbox.run(command.program(self.project.import_roots), files=files)
            written = {file.path: file.content for file in run.written if file.content}
            for path, content in todo:
                if path in new:
                    self.bytecode[path, content] = tuple(
                        (place, data) for place, data in written.items() if _is_bytecode(place, path)
                    )
        return (*files, *(pair for key in todo for pair in self.bytecode[key]))

    def restart_guest(self) -> None:
        """Restart the sandbox's guest."""
        self.sandbox.restart_guest()

    def quiesce(self) -> None:
        """Quiesce the sandbox."""
        self.sandbox.quiesce()


def _in_place(files: Files, given: Mapping[str, bytes]) -> Files:
    """With some contents in place of others; what Python keeps of a module that is another now is left out."""
    return tuple(
        (path, given.get(path, content))
        for path, content in files
        if not (path.endswith(".pyc") and any(_is_bytecode(path, module) for module in given))
    )


def _is_bytecode(place: str, module: str) -> bool:
    """Whether a written file is what Python keeps of a module."""
    found, source = PurePosixPath(place), PurePosixPath(module)
    beside = found.parent.name == "__pycache__" and found.parent.parent == source.parent
    return beside and found.name.startswith(f"{source.stem}.") and found.suffix == ".pyc"
