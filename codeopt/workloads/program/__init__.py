"""A program: a file that is run, given standard input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeopt.options import ImproveOptions
    from codeopt.target import Target
    from codeopt.workloads import Workload, WorkloadRequest
    from sandbox import Sandbox
    from sandbox.profile import Profile

PRIORITY = -1
"""Whatever no other kind recognises."""


def matches(target: Target, options: ImproveOptions) -> bool:
    """A whole file."""
    return not target.name


@dataclass(frozen=True)
class OpenedProgram:
    """A program in its sandbox; the rival, if there is one, is run in the same."""

    request: WorkloadRequest
    sandbox: Sandbox

    @property
    def title(self) -> str:
        """The file."""
        return str(self.request.program.path)

    @property
    def name(self) -> str:
        """The file's stem."""
        return self.request.program.path.stem

    @property
    def rival(self) -> str:
        """The other program."""
        return self.request.rival_program.source if self.request.rival_program else ""

    def profile(self) -> Profile:
        """Of a run on the case that takes longest."""
        from codeopt.workloads.program.baseline import profile_longest

        return profile_longest(self.request, self.sandbox)

    def measure(self) -> Workload:
        """Run it on all of its cases."""
        from codeopt.workloads.program.baseline import measure

        return measure(self.request, self.sandbox)


@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[OpenedProgram]:
    """Open a sandbox; nothing of the project is shown in it. Raises UsageError, NoSandbox."""
    with request.open_sandbox() as sandbox:
        yield OpenedProgram(request, sandbox)
