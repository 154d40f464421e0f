"""Runs the user's command on the project with some of its files edited: what stands for a sandbox in comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from codeopt.workloads.project.command import ProjectCommand
from codeopt.workloads.project.files import ProjectFiles
from sandbox import Sandbox
from sandbox.outcome import Files, Mode, Run, RunLimits


@dataclass(frozen=True)
class CommandRuns:
    """A Runner: its program is the project's text (see text.py), its answer what the command prints and writes."""

    sandbox: Sandbox
    project: ProjectFiles
    command: ProjectCommand
    edited: Callable[[str], Mapping[str, bytes]] = lambda text: {}
    """The project's text -> the files that are other than the user's."""
    seen: Callable[[bytes], bytes] = lambda output: output
    """What of an output counts."""

    @property
    def limits(self) -> RunLimits:
        """Of the sandbox."""
        return self.sandbox.limits

    def run(
        self,
        program: str | bytes,
        stdin: bytes = b"",
        *,
        args: Sequence[str] = (),
        mode: Mode = "fork",
        limits: RunLimits | None = None,
        hash_seed: int = 0,
        files: Files | None = None,
    ) -> Run:
        """Always a fresh interpreter. files: put beside the project's. Raises SandboxError."""
        text = program.decode() if isinstance(program, bytes) else program
        run = self.sandbox.run(
            self.command.program(self.project.import_roots, hash_seed, watched=bool(files)),
            stdin, args=args, limits=limits, files=(*self.with_edits(text), *(files or ())),
        )  # fmt: skip
        return replace(run, stdout=self.seen(run.stdout))

    def with_edits(self, text: str) -> Files:
        """All files of the project."""
        edited = self.edited(text)
        return tuple((path, edited.get(path, content)) for path, content in self.project.files)

    def restart_guest(self) -> None:
        """Of the sandbox."""
        self.sandbox.restart_guest()

    def quiesce(self) -> None:
        """Of the sandbox."""
        self.sandbox.quiesce()
