"""Everything that the evidence of a function or module depends on, except options.

It is the code that is reached, the tests that may reach it, and the environment that runs them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from codeopt.core.environment_digest import environment_digest
from codeopt.core.interpreter import Interpreter
from codeopt.core.linked_packages import linked_folders
from codeopt.core.options import ImproveOptions
from codeopt.core.run_inputs import environment
from codeopt.workloads.function.corpus.existing_tests import find_tests
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.reached import ReachedText
from codeopt.workloads.sandbox_view.view import Module, View
from codeopt_sandbox import Sandbox
from codeopt_sandbox.outcome import RunLimits
from codeopt_sandbox.plain_files import read_bytes

MAX_AGE_S = 7 * 86400.0
"""Age after which evidence is collected again, seconds: what a busy machine had no time for should not be missing for
ever."""


def is_recent(made_at: float) -> bool:
    """Return True if what was stored at a time may be used."""
    return 0 <= time.time() - made_at < MAX_AGE_S


def in_words(made_at: float | None) -> str:
    """`2026-03-01 12:30`, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(made_at))


def reached_digest(
    harness: FunctionHarness, view: View, text: str, python: Interpreter, also: Sequence[Path],
    outside: Mapping[str, bytes], roots: Sequence[Path] = (),
) -> str | None:  # fmt: skip
    """Return a digest of everything that a view's module and other files reach. None if it is unknown.

    Args:
        harness: Harness of the function.
        view: Copy of the project.
        text: Text of the module.
        python: Interpreter that runs the code.
        also: Other files that run, relative to the project.
        outside: Files from other places that run.
        roots: Further folders of the view from which modules are imported.

    Raises:
        OSError: A file cannot be read.
    """
    elsewhere = [root for root in linked_folders(python.libraries) if not root.is_relative_to(view.module.root)]
    folders = (*elsewhere, *(view.folder / each for each in _test_folders(harness)), *roots)
    return ReachedText(view, text, harness.sandbox.isolated, tuple(also), outside, folders).digest()


def runner_parts(options: ImproveOptions, python: Interpreter, sandbox: Sandbox, limits: RunLimits) -> dict[str, Any]:
    """Return key parts that describe the environment: interpreter, packages, codeopt, sandbox, variables. Raises
    OSError."""
    return {
        "environment": environment_digest(python),
        "pytest": python.pytest_version,
        "sandbox": [sandbox.backend, sandbox.description, asdict(limits), options.runtime],
        "variables": environment(options.env),
    }


def test_paths(harness: FunctionHarness, modules: Sequence[Module]) -> tuple[Path, ...]:
    """Test files of the project that may be run for some modules, relative to it."""
    view = harness.view
    if not view.copied:
        return ()
    named = [place.path for place in harness.places if place.folder is None]
    inside = [view.folder / path.relative_to(view.module.root) for path in named]
    files = [file for path in inside for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    if not harness.places:
        base = Path(view.shown_at) if harness.sandbox.isolated else view.folder
        files = [view.folder / Path(each).relative_to(base) for each in find_tests(harness, modules).reaching]
    return tuple(file.relative_to(view.folder) for file in files if file.is_file())


def named_tests(harness: FunctionHarness) -> dict[str, bytes]:
    """Files of the tests that the user named outside of the project, by name."""
    copies = [(place.inside, place.folder) for place in harness.places if place.folder is not None]
    return {
        f"{name}/{file.relative_to(folder)}": read_bytes(file)
        for name, folder in copies
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }


def _test_folders(harness: FunctionHarness) -> list[Path]:
    """Folders of the copy that tests are imported from."""
    base = Path(harness.view.shown_at) if harness.sandbox.isolated else harness.view.folder
    return [Path(each).relative_to(base) for each in harness.target.test_paths] if harness.view.copied else []
