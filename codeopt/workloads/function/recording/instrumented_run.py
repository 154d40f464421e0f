"""Runs a user's own command with a module of ours in each Python that it starts, which writes lines for us."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.workloads.function.recording.users_command import as_the_user_runs_it
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.plain_files import read_text

HOOK = """
import sys
sys.path[:] = [path for path in sys.path if path != {folder!r}]
if sys.version_info >= (3, 8):
{indented}
    _log = _bundle.load("tests.call_log").CallLog({folder!r})
    _log.write("@ started")
    _bundle.load("tests.{module}").{function}(*{arguments!r}, _log.write)
    from importlib.machinery import PathFinder as _finder
    _spec = _finder.find_spec("sitecustomize")
    if _spec is not None and _spec.loader is not None:
        from importlib.util import module_from_spec as _make
        sys.modules["sitecustomize"] = _make(_spec)
        _spec.loader.exec_module(sys.modules["sitecustomize"])
"""
"""A sitecustomize module: Python imports it before a program begins. It also runs the next one on the path."""


@dataclass(frozen=True)
class Instrumentation:
    """Instrumentation of each interpreter: a function of a module of codeopt_sandbox.guest.tests; its last argument
    writes a line."""

    module: str
    function: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class WatchedRun:
    """End of a command, and what was seen of it."""

    program: tuple[str, ...]
    """Command line that was run."""
    status: int
    lines: tuple[str, ...]
    """Lines of one process after the other."""

    @property
    def processes(self) -> int:
        """Interpreters that could be watched."""
        return self.lines.count("@ started")


@dataclass(frozen=True)
class UsersCommand:
    """Command of a user."""

    words: Sequence[str]
    python: str | None = None
    """Interpreter for the word `python`, given by --python."""
    stdout: int | None = None
    """File descriptor of its output, if not our own."""


def run_watched(command: UsersCommand, project: Path, watch: Instrumentation) -> WatchedRun:
    """Run it, as its user would. Raises UsageError where it cannot be run."""
    program = as_the_user_runs_it(command.words, project, command.python)
    with tempfile.TemporaryDirectory(prefix="codeopt-record-") as folder:
        guest = loading("tests/", "calls/__init__", "calls/repr/")
        indented = "".join(f"    {line}" for line in guest.splitlines(keepends=True))
        (Path(folder) / "sitecustomize.py").write_text(
            HOOK.format(folder=folder, indented=indented, **vars(watch)), "utf-8"
        )
        paths = [folder, *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        try:
            done = subprocess.run(program, env=env, stdout=command.stdout)
        except OSError as error:
            raise UsageError(f"cannot run {command.words[0]}: {error.strerror}") from error
        lines = tuple(line for path in sorted(Path(folder).glob("*.txt")) for line in _all_lines(path))
    return WatchedRun(tuple(program), done.returncode, lines)


def read_lines(path: Path) -> list[str]:
    """The different lines of a file; none where there is no file."""
    return list(dict.fromkeys(_all_lines(path))) if path.is_file() else []


def _all_lines(path: Path) -> list[str]:
    return read_text(path, "surrogatepass").split("\n")
