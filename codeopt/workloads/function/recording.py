"""Calls that were recorded while a user's own command ran: where they are kept, and how they are taken."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from codeopt.errors import UsageError
from codeopt.workloads.function.function_def import Function
from codeopt.workloads.function.project import Module, locate
from sandbox.guest_bundle import loading

MOST_CALLS = 300
FOLDER = Path(".codeopt") / "calls"
HOOK = """
import os, sys
_out = open({out!r}, "a", encoding="utf-8", errors="surrogatepass")
def _sink(text):
    _out.write(text.replace("\\n", " ") + "\\n")
    _out.flush()
{loading}
_bundle.load("tests.recorder").install(*{spec!r}, _sink)
"""
"""A sitecustomize module: Python imports it before a program begins."""


def recording_file(module: Module, qualname: str) -> Path:
    """Where the calls of a function are kept: in the project, below .codeopt."""
    return module.root / FOLDER / f"{module.name}.{qualname}.txt"


def recorded_calls(function: Function) -> list[str]:
    """Calls recorded earlier; none when there is no recording."""
    return [line for line in _lines(function) if line.startswith("f(")]


def not_recorded(function: Function) -> list[str]:
    """What calls held that cannot be written down: `self._file: an open file`."""
    return [line.removeprefix("# ") for line in _lines(function) if line.startswith("# ")]


def _lines(function: Function) -> list[str]:
    path = recording_file(locate(function.path), function.qualname)
    return list(dict.fromkeys(path.read_text("utf-8", "surrogatepass").split("\n"))) if path.is_file() else []


def record(function: Function, command: Sequence[str]) -> tuple[int, int, Path]:
    """Run the user's own command, as they would, with a recorder in its interpreters: (exit status, calls, where
    they are).

    Nothing is isolated: it is the user's command on the user's machine. Raises UsageError.
    """
    module = locate(function.path)
    path = recording_file(module, function.qualname)
    before = len(recorded_calls(function))
    path.parent.mkdir(parents=True, exist_ok=True)
    ignore = module.root / ".codeopt" / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
    program = [sys.executable if command[0] in ("python", "python3") else command[0], *command[1:]]
    if command[0] == "pytest":
        program = [sys.executable, "-m", *command]
    with tempfile.TemporaryDirectory(prefix="codeopt-record-") as folder:
        spec = (module.name, function.qualname, MOST_CALLS)
        hook = HOOK.format(spec=spec, out=str(path), loading=loading("tests/", "calls/"))
        (Path(folder) / "sitecustomize.py").write_text(hook, "utf-8")
        paths = [folder, *map(str, module.roots), *filter(None, [os.environ.get("PYTHONPATH")])]
        try:
            done = subprocess.run(program, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
        except OSError as error:
            raise UsageError(f"cannot run {command[0]}: {error.strerror}") from error
    return done.returncode, len(recorded_calls(function)) - before, path
