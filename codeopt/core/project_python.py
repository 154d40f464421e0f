"""The release of Python that a project is for, as its files say: nothing is started."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from codeopt_sandbox.plain_files import read_text

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
    named = [each for folder in _folders(path) for each in _named(folder)]
    active = environment.get("VIRTUAL_ENV")
    if active and (release := _of_venv(Path(active))):
        named.insert(0, ProjectPython(release, "VIRTUAL_ENV"))
    newest = max(named, key=lambda each: each.release, default=None)
    return newest if newest is not None and newest.release > sys.version_info[:2] else None


def reading_advice(path: Path) -> str:
    """Sentence on the codeopt that reads a project's newer syntax. Empty if this one does."""
    found = newer_python(path)
    if found is None:
        return ""
    own = ".".join(map(str, sys.version_info[:2]))
    return (
        f"codeopt runs on Python {own}, and the project is for {found.words} ({found.place}): "
        f"use uvx --python {found.words}{_copy()} codeopt, or install codeopt in the project's environment"
    )


def _copy() -> str:
    """`--from FOLDER` where codeopt was installed from a folder or a repository, as pip noted: no index has that."""
    try:
        noted = json.loads(distribution("codeopt").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    url = str(noted.get("url", ""))
    source = f"git+{url}" if noted.get("vcs_info") else unquote(url.removeprefix("file://"))
    return f" --from {shlex.quote(source)}" if url else ""


def _folders(path: Path) -> Iterator[Path]:
    """Folders around a file up to the top of its repository, the nearest first."""
    for folder in path.absolute().parents:
        yield folder
        if (folder / ".git").exists():
            return


def _named(folder: Path) -> Iterator[ProjectPython]:
    for name in VENVS:
        if release := _of_venv(folder / name):
            yield ProjectPython(release, name)
    if found := _NUMBER.match(_text(folder / ".python-version").strip()):
        yield ProjectPython(_release(found), ".python-version")
    if found := _LEAST.search(_required(folder)):
        yield ProjectPython(_release(found), "pyproject.toml")


def _required(folder: Path) -> str:
    try:
        table: Any = tomllib.loads(_text(folder / "pyproject.toml"))
        named = table.get("project", {}).get("requires-python")
        return str(named or table.get("tool", {}).get("poetry", {}).get("dependencies", {}).get("python", ""))
    except (ValueError, AttributeError):
        return ""


def _of_venv(folder: Path) -> tuple[int, int] | None:
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
