"""A file that reads no standard input and has functions: nothing is run; the answer is which of them take long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codeopt.errors import UsageError

if TYPE_CHECKING:
    from codeopt.options import ImproveOptions
    from codeopt.target import Target
    from codeopt.workloads import Opened, WorkloadRequest


def matches(target: Target, options: ImproveOptions) -> bool:
    """A file without input of its own whose text mentions none."""
    from codeopt.cases import cases_beside
    from codeopt.program import read_program
    from codeopt.workloads.function.rank import any_function, reads_stdin

    if target.name or options.cases or options.stdin or cases_beside(target.path):
        return False
    return not reads_stdin(read_program(target.path).source) and any_function(target.path) is not None


@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[Opened]:
    """Raises UsageError, which names the functions, those that take longest under the file's tests first."""
    from codeopt.workloads.function.bench import open_bench
    from codeopt.workloads.function.rank import any_function, offer

    function = any_function(request.target.path)
    assert function is not None
    request.session.console.progress("looking which functions take long")
    with open_bench(function, request.open_sandbox, request.options.tests) as bench:
        raise UsageError(offer(bench))
    yield  # a context manager has one
