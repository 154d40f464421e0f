"""The choice of the Python that runs the user's program: named, activated, the project's own, or codeopt's."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.project_python import VENVS
from codeopt.core.tracked_python import require_untracked, require_untracked_file
from codeopt_sandbox.errors import BadInterpreter
from codeopt_sandbox.host_program import find_program
from codeopt_sandbox.interpreter import ask_python
from codeopt_sandbox.plain_files import read_text

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
MAX_TOOL_S = 3.0
"""Time limit for poetry or hatch to name an environment, seconds. poetry takes 0.6 s."""
ADVICE = "--python PATH names another"


class Origin(StrEnum):
    """Source of an interpreter's path."""

    NAMED = "--python"
    ACTIVATED = "VIRTUAL_ENV"
    PROJECT = "project"  # .venv or venv, or where uv and pdm say that it is
    POETRY = "poetry"
    HATCH = "hatch"
    OWN = "codeopt"  # the one that runs us


class SettingsPython(str):
    """The interpreter that [tool.codeopt] of a project names: the project may have brought both."""

    __slots__ = ()


@dataclass(frozen=True)
class Interpreter:
    """A Python that was started once and reported its version."""

    path: str
    """Absolute path."""
    version: str
    """Version, such as 3.13.1."""
    pytest_version: str | None
    """Version of pytest in its packages. None if pytest is missing."""
    origin: Origin
    libraries: tuple[str, ...] = ()
    """Folders that it imports from by itself, those of packages included."""

    @property
    def line(self) -> str:
        """The line at the top of the output: `python     .venv/bin/python 3.13.1, pytest 9.2.0`."""
        return f"python     {self.words}"

    @property
    def words(self) -> str:
        """The interpreter as that line tells it."""
        own = " (codeopt's own)" if self.origin is Origin.OWN else ""
        return f"{self.name}{own}, {f'pytest {self.pytest_version}' if self.pytest_version else 'no pytest'}"

    @property
    def name(self) -> str:
        """Return path and version. The path is relative if it is below the current folder."""
        path, here = Path(self.path), Path.cwd()
        return f"{path.relative_to(here) if here != Path('/') and path.is_relative_to(here) else path} {self.version}"

    def to_json(self) -> dict[str, str | None]:
        """The field `python` of every JSON object."""
        return {"path": self.path, "version": self.version, "pytest": self.pytest_version, "origin": str(self.origin)}


def find_interpreter(
    named: str | None, place: Path, *, own_files: bool = True, environment: Mapping[str, str] | None = None
) -> Interpreter:
    """Return the interpreter for a program, or for the project around a folder, after starting it once.

    named: the path given with --python, which has precedence. own_files: False if another author's files may be in the
    project. Then poetry and pdm are not asked, as they may load plug-ins from there. Raises UsageError if the named or
    found interpreter does not work. It is not replaced by another one.
    """
    environment = os.environ if environment is None else environment
    place = place.absolute()
    before, hint = "", ADVICE
    if named:
        before, hint = "--python: ", ""
    elif folder := activated_environment(environment):
        before, hint = f"VIRTUAL_ENV is set to {folder}, but ", f"make the environment again, or {ADVICE}"
    try:
        path, origin, brought = _choose(named, place, own_files, environment)
        if origin is Origin.PROJECT:
            hint = f"make the environment again, or {ADVICE}"
        # The only start of a file which may belong to the examined tree: docs/environment.md lists the conditions.
        require_untracked(Path(path), brought)
        facts = ask_python(path)
    except (BadInterpreter, RuntimeError) as error:  # the latter of `~nobody/bin/python`
        raise UsageError(f"{before}{error}", hint=hint) from error
    folders = tuple(filter(None, (*facts.libraries, facts.user_site)))
    return Interpreter(facts.executable, facts.version, facts.pytest, origin, folders)


def _choose(
    named: str | None, place: Path, own_files: bool, environment: Mapping[str, str]
) -> tuple[str, Origin, tuple[Path, ...]]:
    """Return a path, its source, and the folders around which a repository may have brought files of it.

    A project may have brought what lies in it, and what its files name. Anything else is the user's: an environment
    that is activated elsewhere, and the installation to which a link of an untracked environment leads.
    """
    if named:
        path = str(Path(named).expanduser().absolute()) if os.sep in named else find_program(named) or named
        by_files = isinstance(named, SettingsPython)
        return path, Origin.NAMED, (place, Path(path).absolute().parent) if by_files else ()
    if folder := activated_environment(environment):
        return str(Path(folder).absolute() / "bin" / "python"), Origin.ACTIVATED, (place,)
    for root in _project(place):
        if venv := next((root / name for name in _names(root, environment) if _is_venv(root / name)), None):
            return str(venv / "bin" / "python"), Origin.PROJECT, (place,)
        if not own_files:
            continue
        if (told := _of_pdm(root)) is not None:
            require_untracked_file(root / ".pdm-python")
            return told, Origin.PROJECT, (place, Path(told).parent)
        for origin in (Origin.POETRY, Origin.HATCH):
            if (told := _told(origin, root)) is not None:
                return told, origin, (place, Path(told).parent)
    return sys.executable, Origin.OWN, ()


def activated_environment(environment: Mapping[str, str]) -> str:
    """Return the folder of the activated environment, or an empty text.

    pre-commit starts a hook with the hook's own environment activated. The user's environment comes after it in PATH.
    """
    folder = environment.get("VIRTUAL_ENV", "")
    if not folder or not environment.get("PRE_COMMIT") or not _is_own(Path(folder)):
        return folder
    folders = map(Path, environment.get("PATH", "").split(os.pathsep))
    users = (each.parent for each in folders if each.is_absolute() and (each.parent / "pyvenv.cfg").is_file())
    return next((str(folder) for folder in users if not _is_own(folder)), "")


def _is_own(folder: Path) -> bool:
    return folder.resolve() == Path(sys.prefix).resolve()


# --- the project ---------------------------------------------------------------------------------


def _project(place: Path) -> Iterator[Path]:
    """Yield the folders whose environment may be meant, the nearest first, beginning with the program's.

    The last one is git's top level. Without git it is the folder with a project file, else the current one if the
    program lies below it. Otherwise the program's own folder is the only one.
    """
    start = place if place.is_dir() else place.parent
    folders = [start, *start.parents]
    ends = [
        next((folder for folder in folders if (folder / ".git").exists()), None),
        next((each for each in folders if any((each / name).exists() for name in PROJECT_FILES)), None),
        next((each for each in folders if each == Path.cwd()), None),
    ]
    end = next((each for each in ends if each is not None), start)
    yield from folders[: folders.index(end) + 1]


def _names(root: Path, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return names of the environment's folder below `root`. uv's own variable replaces them."""
    uv = environment.get("UV_PROJECT_ENVIRONMENT")
    return (uv, *VENVS) if uv and (root / "uv.lock").exists() else VENVS


def _is_venv(folder: Path) -> bool:
    """Return whether a folder is a virtual environment, even if its interpreter is missing. A package may be called
    `venv`.
    """
    return (folder / "pyvenv.cfg").exists() or os.path.lexists(folder / "bin" / "python")


def _of_pdm(root: Path) -> str | None:
    """The environment of a pdm project, from the file in which pdm keeps its interpreter's path."""
    try:
        return read_text(root / ".pdm-python").strip() or None
    except (OSError, ValueError):
        return None


def _told(tool: Origin, root: Path) -> str | None:
    """Return the folder that poetry or hatch names, or None if the project does not use it or it does not answer in
    time.
    """
    program = find_program(str(tool))
    if program is None or not _is_of(tool, root):
        return None
    arguments = ["env", "info", "--path"] if tool is Origin.POETRY else ["env", "find"]
    try:
        done = subprocess.run(
            [program, *arguments],
            cwd=root,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=MAX_TOOL_S,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    folder = Path(done.stdout.strip().partition("\n")[0])
    found = folder.is_absolute() and _is_venv(folder)
    return str(folder / "bin" / "python") if done.returncode == 0 and found else None


def _is_of(tool: Origin, root: Path) -> bool:
    if (root / ("poetry.lock" if tool is Origin.POETRY else "hatch.toml")).exists():
        return True
    try:
        table: dict[str, Any] = tomllib.loads(read_text(root / "pyproject.toml")).get("tool", {})
    except (OSError, ValueError):
        return False
    return "poetry" in table if tool is Origin.POETRY else "envs" in table.get("hatch", {})
