"""A file that mentions no input and has functions: improved as a script where running it does something. A library
module does nothing then, and its functions are the targets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from codeopt.core.errors import UsageError
from codeopt.workloads._protocol import workload

if TYPE_CHECKING:
    from pathlib import Path

    from codeopt.core.options import ImproveOptions
    from codeopt.core.program import Target
    from codeopt.workloads import OpenTarget, WorkloadRequest
    from codeopt_sandbox import Sandbox
    from codeopt_sandbox.outcome import Run

BUSY_S = 0.05
"""Minimum time of a script without its imports that shows work, seconds.

It decides for scripts that print and write nothing: a benchmark, or a check by assertions.
"""
MOST_NAMED = 8
"""Maximum number of functions that a message names."""
_PLAIN = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)


class DoesNothing(UsageError):
    """The target is a library module: running it does nothing, and one of its functions is to be named."""


def matches(target: Target, options: ImproveOptions) -> bool:
    """A file without input of its own whose text mentions none."""
    from codeopt.core.program import read_program
    from codeopt.workloads.function.corpus.existing_tests import any_function
    from codeopt.workloads.program.cases import cases_beside, reads_stdin

    if target.name or target.module or options.cases or options.stdin or options.args is not None:
        return False
    if options.with_paths or cases_beside(target.path):
        return False
    return not reads_stdin(read_program(target.path).source) and any_function(target.path) is not None


@workload(matches)
@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[OpenTarget]:
    """Open the module as a program where it does something. Raises DoesNothing, which names functions."""
    from codeopt.workloads.program import open_workload as open_program

    source = request.program.source
    if not is_library(source):
        with open_program(request) as opened:
            request.notify("running it as it is")
            if _does_something(opened.sandbox, source):
                yield opened
                return
    raise DoesNothing(_in_words(request.target.path, source))


def is_library(source: str) -> bool:
    """Return True if a module only defines, so that running it does nothing.

    A module with relative imports is part of a package, and not a script.
    """
    body = ast.parse(source).body
    relative = any(isinstance(node, ast.ImportFrom) and node.level for node in body)
    return (relative and not any(map(_is_main_guard, body))) or all(map(_only_defines, body))


def _is_main_guard(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":`."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _only_defines(node: ast.stmt) -> bool:
    """Return True if a top-level statement only defines or imports. A call may do anything."""
    if isinstance(node, _PLAIN):
        return True
    if isinstance(node, ast.Try):
        handlers = [each for handler in node.handlers for each in handler.body]
        return all(map(_only_defines, [*node.body, *handlers, *node.orelse, *node.finalbody]))
    if isinstance(node, ast.If):
        return not _is_main_guard(node) and all(map(_only_defines, [*node.body, *node.orelse]))
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign | ast.AnnAssign) and not any(
        isinstance(inner, ast.Call | ast.comprehension) for inner in ast.walk(node)
    )


def _does_something(sandbox: Sandbox, source: str) -> bool:
    """Return True if a run prints, writes, fails, or takes longer than its imports alone."""
    run: Run = sandbox.run(source, mode="exec", files=())
    if run.stdout or run.written or run.stop or run.exit != 0:
        return True
    if run.active_s <= BUSY_S:
        return False
    alone = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    imports = sandbox.run("\n".join(map(ast.unparse, alone)), mode="exec", files=())
    return run.active_s - imports.active_s > BUSY_S + 0.2 * imports.active_s


def _in_words(path: Path, source: str) -> str:
    from codeopt.workloads.source.functions import definitions

    names = [name for name, _ in islice(definitions(ast.parse(source)), MOST_NAMED + 1)]
    named = ", ".join(f"{path}::{name}" for name in names[:MOST_NAMED]) + ", ..." * (len(names) > MOST_NAMED)
    return (
        f"{path} does nothing when it is run; name one of its functions: {named} (`codeopt improve {path}` takes them "
        "one after the other)"
    )
