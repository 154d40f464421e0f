"""The choice of the Python that runs the user's program, and the release that a project is for."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from codeopt.core.errors import UsageError
from codeopt_sandbox.errors import BadInterpreter
from codeopt_sandbox.interpreter import ask_python, find_program
from codeopt_sandbox.plain_files import read_text

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
ADVICE = "--python PATH names another"
_PYTHON = re.compile(r"python[\d.]*[dt]*")
"""Names of the programs that may be asked for their version with options of Python."""


class Origin(StrEnum):
    """Source of an interpreter's path."""

    NAMED = "--python"
    ACTIVATED = "VIRTUAL_ENV"
    PROJECT = "project"  # .venv or venv, or the one of uv's variable
    OWN = "codeopt"  # the one that runs us


@dataclass(frozen=True)
class Interpreter:
    """A Python that was started once and reported its version."""

    path: str
    """Absolute path."""
    version: str
    """Version, such as 3.13.1."""
    pytest: str | None
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
        return f"{self.name}{own}, {f'pytest {self.pytest}' if self.pytest else 'no pytest'}"

    @property
    def name(self) -> str:
        """Return path and version. The path is relative if it is below the current folder."""
        path, here = Path(self.path), Path.cwd()
        return f"{path.relative_to(here) if here != Path('/') and path.is_relative_to(here) else path} {self.version}"

    def to_json(self) -> dict[str, str | None]:
        """The field `python` of every JSON object."""
        return {name: value for name, value in vars(self).items() if name != "libraries"}


def find_interpreter(named: str | None, place: Path, *, environment: Mapping[str, str] | None = None) -> Interpreter:
    """Return the interpreter for a program, or for the project around a folder, after starting it once.

    named: the path given with --python, which has precedence. Raises UsageError if the named or found interpreter does
    not work, or if the project may have brought it. It is not replaced by another one. No tool is asked: poetry, hatch
    and pdm load files of a project.
    """
    environment = os.environ if environment is None else environment
    if named:
        return _named(named)
    folders = _project(place.absolute())
    if activated := activated_environment(environment):
        before = f"VIRTUAL_ENV is set to {activated}, but "
        return _of_venv(Path(activated).absolute(), Origin.ACTIVATED, folders, before)
    for venv in (root / name for root in folders for name in _names(root, environment)):
        # even if its interpreter is missing; a package may be called `venv`
        if (venv / "pyvenv.cfg").exists() or os.path.lexists(venv / "bin" / "python"):
            return _of_venv(venv, Origin.PROJECT, folders)
    try:
        return _asked(sys.executable, Origin.OWN)
    except BadInterpreter as error:
        raise UsageError(str(error), hint=ADVICE) from error


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


def _named(named: str) -> Interpreter:
    try:
        path = str(Path(named).expanduser().absolute()) if os.sep in named else find_program(named) or named
        return _asked(path, Origin.NAMED)
    except (BadInterpreter, RuntimeError) as error:  # the latter of `~nobody/bin/python`
        hint = "name a Python that runs the project, such as .venv/bin/python"
        raise UsageError(f"--python: {error}", hint=hint) from error


def _of_venv(venv: Path, origin: Origin, project: list[Path], before: str = "") -> Interpreter:
    """The interpreter of a virtual environment. Raises UsageError where the environment is broken, or may have come
    with the project, and says what to do."""
    python = venv / "bin" / "python"
    ours = python.parent == Path(sys.executable).parent and python.exists() and python.samefile(sys.executable)
    if not ours and any(venv.is_relative_to(folder) for folder in project):
        _require_own(venv, python)
    try:
        return _asked(str(python), origin)
    except BadInterpreter as error:
        raise UsageError(f"{before}{error}", hint=f"make the environment again, or {ADVICE}") from error


def _asked(path: str, origin: Origin) -> Interpreter:
    """Start an interpreter and ask for its version.

    This is the only place that starts a file on this machine which a project names. docs/environment.md lists the
    conditions. Raises BadInterpreter.
    """
    facts = ask_python(path)
    folders = tuple(filter(None, (*facts.libraries, facts.user_site)))
    return Interpreter(facts.executable, facts.version, facts.pytest, origin, folders)


# --- what a project may have brought -----------------------------------------------------------------


def _require_own(venv: Path, python: Path) -> None:
    """Refuse an environment of which a start would run a program or a library of the project. Raises UsageError.

    With `-I -S` a start runs the program, and the standard library beside the folder that pyvenv.cfg calls home. git is
    not asked: a download may contain a `.git` that tracks nothing.
    """
    root = Path(os.path.realpath(venv.parent))
    homes: list[Path] = []
    for settings in (python.parent / "pyvenv.cfg", venv / "pyvenv.cfg"):
        with suppress(OSError):
            pairs = [line.partition("=") for line in read_text(settings, "replace").splitlines()]
            homes += [Path(value.strip()) for key, _, value in pairs if key.strip().lower() == "home"]
    for path in (root / venv.name / "bin" / "python", *homes):
        end = _end(path, root)
        named = end is not None and (path in homes or _PYTHON.fullmatch(end.name))
        if path.exists() and not named:
            raise UsageError(
                f"{python} is not started: it leads to no Python of this machine, and the project may have brought it",
                hint="--python PATH starts it all the same",
            )


def _end(path: Path, root: Path) -> Path | None:
    """The file at the end of all links. None if a project that lies in this real folder may have brought it.

    Only an absolute path leads from a project to what was there before it: a relative one can lead to what lies beside
    it in a download, and a path through /proc to the current folder.
    """
    at, parts, links = Path(path.anchor), [*reversed(path.parts[1:])], 0
    left = path.is_absolute() and not path.is_relative_to(root)
    while parts:
        part = parts.pop()
        at = at.parent if part == ".." else at / part
        # most links followed on the way to a file, the kernel's own limit
        if at.is_symlink() and links < 40:
            target = at.readlink()
            left = (left or target.is_absolute()) and not at.is_relative_to("/proc")
            at = Path(target.anchor) if target.anchor else at.parent
            parts += reversed(target.parts[1:] if target.anchor else target.parts)
            links += 1
    return at if left and not at.is_relative_to(root) else None


# --- the project ---------------------------------------------------------------------------------


def _project(place: Path) -> list[Path]:
    """Return the folders whose environment may be meant, the nearest first, beginning with the program's.

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
    return folders[: folders.index(end) + 1]


def _names(root: Path, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return names of the environment's folder below `root`. uv's own variable replaces them."""
    uv = environment.get("UV_PROJECT_ENVIRONMENT")
    return (uv, *VENVS) if uv and (root / "uv.lock").exists() else VENVS


VENVS = (".venv", "venv")
_NUMBER = re.compile(r"(\d+)\.(\d+)")
_LEAST = re.compile(r"(?:>=|~=|\^|~|==|>)\s*(\d+)\.(\d+)")
"""Lower bound of `requires-python`, and of poetry's `python`."""


@dataclass(frozen=True)
class ProjectPython:
    """A release, and the place that names it."""

    release: tuple[int, int]
    place: str

    @property
    def words(self) -> str:
        """Major and minor version."""
        return ".".join(map(str, self.release))


def newer_python(path: Path, environment: Mapping[str, str] = os.environ) -> ProjectPython | None:
    """Return the newest release that the project of a file names, if codeopt's own Python is older. None otherwise."""
    active = environment.get("VIRTUAL_ENV")
    release = _release_of_venv(Path(active)) if active else None
    named = [ProjectPython(release, "VIRTUAL_ENV")] if release else []
    for folder in path.absolute().parents:  # up to the top of its repository, the nearest first
        for name in VENVS:
            if release := _release_of_venv(folder / name):
                named.append(ProjectPython(release, name))
        if found := _NUMBER.match(_text(folder / ".python-version").strip()):
            named.append(ProjectPython(_release(found), ".python-version"))
        if found := _LEAST.search(_required(folder)):
            named.append(ProjectPython(_release(found), "pyproject.toml"))
        if (folder / ".git").exists():
            break
    newest = max(named, key=lambda each: each.release, default=None)
    return newest if newest is not None and newest.release > sys.version_info[:2] else None


def reading_advice(path: Path) -> str:
    """Sentence on the codeopt that reads a project's newer syntax. Empty if this one does."""
    found = newer_python(path)
    if found is None:
        return ""
    own, copy = ".".join(map(str, sys.version_info[:2])), ""
    # codeopt was installed from a folder or a repository, as pip noted: no index has that
    with suppress(PackageNotFoundError, ValueError):
        noted = json.loads(distribution("codeopt").read_text("direct_url.json") or "{}")
        if url := str(noted.get("url", "")):
            source = f"git+{url}" if noted.get("vcs_info") else unquote(url.removeprefix("file://"))
            copy = f" --from {shlex.quote(source)}"
    return (
        f"codeopt runs on Python {own}, and the project is for {found.words} ({found.place}): "
        f"use uvx --python {found.words}{copy} codeopt, or install codeopt in the project's environment"
    )


def _required(folder: Path) -> str:
    try:
        table: Any = tomllib.loads(_text(folder / "pyproject.toml"))
        named = table.get("project", {}).get("requires-python")
        return str(named or table.get("tool", {}).get("poetry", {}).get("dependencies", {}).get("python", ""))
    except (ValueError, AttributeError):
        return ""


def _release_of_venv(folder: Path) -> tuple[int, int] | None:
    """Release in a virtual environment's marker: `version = 3.13.0`, or virtualenv's `version_info`."""
    for line in _text(folder / "pyvenv.cfg").lower().splitlines():
        name, _, value = line.partition("=")
        if name.strip() in ("version", "version_info") and (found := _NUMBER.match(value.strip())):
            return _release(found)
    return None


def _release(found: re.Match[str]) -> tuple[int, int]:
    return int(found[1]), int(found[2])


def _text(path: Path) -> str:
    try:
        return read_text(path, "replace")
    except OSError:
        return ""
