"""A file that mentions no input and has functions: improved as a script where running it does something; where it does
nothing, the answer is which of its functions take long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codeopt.core.errors import UsageError
from codeopt.workloads._protocol import workload

if TYPE_CHECKING:
    from codeopt.core.options import ImproveOptions
    from codeopt.core.target import Target
    from codeopt.workloads import OpenTarget, WorkloadRequest
    from codeopt_sandbox.outcome import Run

BUSY_S = 0.05
"""A script that prints and writes nothing, but takes this long, does something: a benchmark, a check by assertions."""


def matches(target: Target, options: ImproveOptions) -> bool:
    """A file without input of its own whose text mentions none."""
    from codeopt.core.program import read_program
    from codeopt.workloads.function.rank import any_function
    from codeopt.workloads.program.cases import cases_beside, reads_stdin

    if target.name or target.module or options.cases or options.stdin or options.args is not None:
        return False
    if options.with_paths or cases_beside(target.path):
        return False
    return not reads_stdin(read_program(target.path).source) and any_function(target.path) is not None


@workload(matches)
@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[OpenTarget]:
    """As a program where it does something. Raises UsageError, which names the functions, those that take longest under
    the file's tests first."""
    from codeopt.workloads.function.harness import open_bench
    from codeopt.workloads.function.rank import any_function, offer
    from codeopt.workloads.program import open_workload as open_program

    if not _imports_from_its_package(request.program.source):
        with open_program(request) as opened:
            request.session.console.progress("running it as it is")
            if _does_something(opened.sandbox.run(request.program.source, mode="exec", files=())):
                yield opened
                return
    function = any_function(request.target.path)
    assert function is not None
    request.session.console.progress("looking which functions take long")
    linked = request.imported_in_place(request.target.path)
    options = request.options
    with open_bench(function, request.open_sandbox, options.tests, options.with_paths, linked) as bench:
        raise UsageError(offer(bench))


def _imports_from_its_package(source: str) -> bool:
    """A module with relative imports is part of a package, and no script."""
    return any(isinstance(node, ast.ImportFrom) and node.level for node in ast.parse(source).body)


def _does_something(run: Run) -> bool:
    return bool(run.stdout or run.written or run.stop or run.exit != 0) or run.active_s > BUSY_S
