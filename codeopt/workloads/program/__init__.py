"""A program: a file that is run, given standard input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from mimetypes import MimeTypes
from typing import TYPE_CHECKING, cast

from codeopt.core.errors import UsageError
from codeopt.workloads._protocol import workload

if TYPE_CHECKING:
    from codeopt.core.options import ImproveOptions
    from codeopt.core.program import Target
    from codeopt.core.revision import Revision
    from codeopt.core.session import Mounts
    from codeopt.workloads import Workload, WorkloadRequest
    from codeopt_sandbox import Sandbox
    from codeopt_sandbox.profile import Profile


def matches(target: Target, options: ImproveOptions) -> bool:
    """A whole file."""
    return not target.name


@dataclass(frozen=True)
class OpenedProgram:
    """A program in its sandbox; the other version, if there is one, is run in the same."""

    request: WorkloadRequest
    sandbox: Sandbox

    @property
    def title(self) -> str:
        """The file, or how the module is run."""
        module = self.request.target.module
        return f"python -m {module} ({self.request.program.path})" if module else str(self.request.program.path)

    @property
    def name(self) -> str:
        """The file's stem, or the module's name."""
        return self.request.target.module or self.request.program.path.stem

    @property
    def other(self) -> Revision | None:
        return self.request.other.program.revision if self.request.other else None

    def profile(self) -> Profile:
        """Profile of a run on the case that takes longest."""
        from codeopt.workloads.program.baseline import profile_longest

        return profile_longest(self.request, self.sandbox)

    def measure(self) -> Workload:
        """Run it on all of its cases."""
        from codeopt.workloads.program.workload import measure

        return measure(self.request, self.sandbox)


@workload(matches, priority=-1)
@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[OpenedProgram]:
    """Open a sandbox for a program.

    It shows the files of the project that git tracks, but only to a program that imports some of them or uses its own
    path.

    Raises:
        UsageError: The program, a case or an option cannot be used.
        NoSandbox: No sandbox runs on this machine.
    """
    from codeopt.workloads.program.siblings import InProject, link_given, open_siblings, search_path

    target = request.target
    if MimeTypes().guess_type(target.path.name)[0] not in (None, "text/x-python"):
        hint = "name a .py file or a notebook; codeopt refine is for texts"
        raise UsageError(f"{target.path} is no Python file", hint=hint)
    with ExitStack() as stack:
        asked = request
        mounts: Mounts = ()
        sides = [request.program, *([request.other.program] if request.other else [])]
        linked = request.imported_in_place(target.path, request.other.target.path if request.other else None)
        view = open_siblings(target, [each.source for each in sides], request.options.with_paths, linked)
        if view:
            stack.callback(view.close)
            mounts = view.mounts
            env = (*request.options.env, f"PYTHONPATH={search_path(view, target)}")
            asked = replace(request, options=replace(request.options, env=env))
        sandbox = stack.enter_context(asked.open_sandbox(mounts))
        if view and sandbox.isolated:
            link_given(view, request.options.with_paths)
        yield OpenedProgram(request, cast("Sandbox", InProject(sandbox, target, view)) if view else sandbox)
