"""A command of the project, ready to paste, for a function that cannot be judged by its calls alone."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from codeopt.core.git import work_trees
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.function.corpus.existing_tests import find_reaching_tests, find_tests
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.linked import project_top
from codeopt.workloads.sandbox_view.view import MANAGE

MOST_FILES = 4
"""Maximum number of test files that the command names."""


def advice(request: WorkloadRequest, harness: FunctionHarness, tests: Sequence[str] = ()) -> str:
    """`check it by a command instead: codeopt ...`; empty where no test is known, or the tests are not the project's.

    tests: ids of tests that call the function; empty: those that name it, or import its module.
    """
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests)) or _found(harness)
    root = harness.view.module.root
    files = [file for file in files if (root / file).is_file()][:MOST_FILES]
    if not files or not any(work_trees(root)):
        return ""
    command = shlex.quote(" ".join(map(shlex.quote, _words(request, harness, files))))
    folder = os.path.relpath(_of_user(root, request))
    where = [] if folder == os.curdir else [shlex.quote(folder)]
    if request.other is None:
        return f"check it by a command instead: {' '.join(['codeopt improve', *where, '--run', command])}"
    line = " ".join(["codeopt compare", *where, "--base HEAD --run", command])
    return f"check it by a command instead, with NEW in the place of OLD: {line}"


def _of_user(root: Path, request: WorkloadRequest) -> Path:
    """Return the folder of the project for the user: NEW's if OLD is a checkout made for a comparison with a commit."""
    here = next(work_trees(Path.cwd()), None)
    if request.other is None or here is None or root.resolve().is_relative_to(here):
        return root
    new = project_top(request.other.path.resolve())
    return new if new.is_relative_to(here) else root


def _words(request: WorkloadRequest, harness: FunctionHarness, files: Sequence[str]) -> list[str]:
    """Command that runs test files: Django's where the project is one of its, unittest where there is no pytest."""
    dotted = [file.removesuffix(".py").replace("/", ".") for file in files]
    if harness.target.django and (harness.view.module.root / MANAGE).is_file():
        return ["python", MANAGE, "test", *dotted]
    if request.interpreter is None or request.interpreter.pytest_version:
        return ["pytest", "-q", *files]
    return ["python", "-m", "unittest", *dotted]


def _found(harness: FunctionHarness) -> list[str]:
    """Test files that name the function, else those that may reach its module, relative to the project."""
    base = Path(harness.view.shown_at) if harness.sandbox.isolated else harness.view.folder
    paths: Iterable[str] = find_tests(harness) or find_reaching_tests(harness, [harness.view.module])
    inside = (Path(path) for path in paths)
    return [path.relative_to(base).as_posix() for path in inside if path.is_relative_to(base)]
