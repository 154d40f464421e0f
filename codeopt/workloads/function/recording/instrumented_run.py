"""Runs a user's own command with a module of ours in each Python that it starts, which writes lines for us.

A project's command in the sandbox is watched in the same way.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.owner import temporary_folder
from codeopt_sandbox.plain_files import read_text

PYTHONS = ("python", "python3")


def as_the_user_runs_it(command: Sequence[str], project: Path, python: str | None = None) -> list[str]:
    """Return the command with the path of its program.

    Places in their order: the folder of the --python interpreter, the active environment, the project's own, PATH, and
    the environment of codeopt. With --python the word `python` means that interpreter.

    Raises:
        UsageError: No place has the program.
    """
    name = command[0]
    if "/" in name:
        return list(command)
    if python and name in PYTHONS:
        return [python, *command[1:]]
    names = PYTHONS if name == "python" else (name,)
    named = [str(Path(python).parent)] if python else []
    on_path = os.environ.get("PATH")
    for folders in (*named, *_environments(project), on_path, str(Path(sys.executable).parent)):
        for each in names:
            if found := shutil.which(each, path=folders):
                return [found, *command[1:]]
    raise UsageError(f"cannot run {name}: it is not in {project}/.venv, nor on PATH")


def _environments(project: Path) -> list[str]:
    """Folders of programs; shell and project may name none."""
    active = os.environ.get("VIRTUAL_ENV")
    roots = [*([Path(active)] if active else []), project / ".venv", project / "venv"]
    return [str(root / "bin") for root in roots if (root / "bin").is_dir()]


HOOK = """
import os, sys, time
_begun = time.process_time()
_folder = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if path != _folder]
if sys.version_info >= (3, 8):
{indented}
    _log = _bundle.load("tests.call_log").CallLog(_folder)
    _watch = _bundle.load("{module}").{function}
    _log.write("@ hook %.6f" % (time.process_time() - _begun))
    _watch({first}*{arguments!r}, _log.write)
    from importlib.machinery import PathFinder as _finder
    _spec = _finder.find_spec("sitecustomize")
    if _spec is not None and _spec.loader is not None:
        from importlib.util import module_from_spec as _make
        sys.modules["sitecustomize"] = _make(_spec)
        _spec.loader.exec_module(sys.modules["sitecustomize"])
"""
"""A sitecustomize module: Python imports it before a program begins. It also runs the next one on the path."""


RECORDERS = ("tests/", "calls/__init__", "calls/repr/")
"""Files of the guest that recorders of calls need, by how their paths begin."""
SAMPLERS = ("profile/__init__", "profile/sampler", "profile/queries", "profile/counter", "profile/start_time",
            "tests/__init__", "tests/project_reach", "profile/process_end", "tests/call_log")  # fmt: skip
"""Files of the guest that samplers and counters need."""


@dataclass(frozen=True)
class Instrument:
    """Instrumentation of each interpreter: a function of a module of codeopt_sandbox.guest; its last argument
    writes a line."""

    module: str
    arguments: tuple[Any, ...] = ()
    function: str = "install"
    needs: tuple[str, ...] = SAMPLERS

    def hook(self, first: str = "") -> str:
        """Return the text of a sitecustomize module. first: Python text of arguments before the others."""
        indented = "".join(f"    {line}" for line in loading(*self.needs).splitlines(keepends=True))
        names = {"module": self.module, "function": self.function, "arguments": self.arguments}
        return HOOK.format(indented=indented, first=first, **names)


def sampler(*root: str, waits: bool) -> Instrument:
    """Sampler of stacks, by wall time where a process waits or else by CPU time. root: folder of the project, where
    the hook does not give it."""
    return Instrument("profile.sampler", (*root, waits))


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
        return sum(line.startswith("@ hook ") for line in self.lines)


@dataclass(frozen=True)
class UsersCommand:
    words: Sequence[str]
    python: str | None = None
    """Interpreter for the word `python`, given by --python."""
    stdout: int | None = None
    """File descriptor of its output, if not our own."""


def run_watched(command: UsersCommand, project: Path, watch: Instrument) -> WatchedRun:
    """Run it, as its user would. Raises UsageError where it cannot be run."""
    program = as_the_user_runs_it(command.words, project, command.python)
    with temporary_folder("record") as folder:
        (folder / "sitecustomize.py").write_text(watch.hook(), "utf-8")
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        try:
            done = subprocess.run(program, env=env, stdout=command.stdout)
        except OSError as error:
            raise UsageError(f"cannot run {command.words[0]}: {error.strerror}") from error
        lines = tuple(line for path in sorted(folder.glob("*.txt")) for line in _all_lines(path))
    return WatchedRun(tuple(program), done.returncode, lines)


def events(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield (kind, payload) of lines of events. Malformed lines are skipped."""
    for line in lines:
        if line.startswith("@ "):
            kind, _, text = line[2:].partition(" ")
            try:
                value = json.loads(text)
            except ValueError:
                continue
            yield kind, value


def read_lines(path: Path) -> list[str]:
    """The different lines of a file; none where there is no file."""
    return list(dict.fromkeys(_all_lines(path))) if path.is_file() else []


def _all_lines(path: Path) -> list[str]:
    return read_text(path, "surrogatepass").split("\n")
