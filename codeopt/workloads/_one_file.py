"""Runs drafts of targets that are one file, such as a program that reads standard input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

from codeopt.core.revision import Revision
from codeopt_sandbox.outcome import Run, RunLimits
from codeopt_sandbox.runner import Runner, RunOptions


@dataclass(frozen=True)
class OneFile:
    """A runner of revisions around one of texts."""

    texts: Runner[str]

    @property
    def limits(self) -> RunLimits:
        return self.texts.limits

    def run(self, program: Revision, stdin: bytes = b"", /, **options: Unpack[RunOptions]) -> Run:
        """Run the text. Raises SandboxError."""
        return self.texts.run(program.text, stdin, **options)

    def restart_guest(self) -> None:
        """Go on with a fresh guest."""
        self.texts.restart_guest()

    def quiesce(self) -> None:
        """Leave the measuring core to the run."""
        self.texts.quiesce()
