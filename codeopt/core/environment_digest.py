"""Digest of everything outside of a project on which its evidence depends: interpreter, packages, codeopt, machine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from codeopt.core.interpreter import Interpreter
from codeopt.core.machine import machine
from codeopt.core.version import __version__

PACKAGES = ("site-packages", "dist-packages")
RECORDS = (".dist-info", ".egg-info")
"""Endings of folders that say which version of a package is installed."""
_LINE = re.compile(r"(?m)^/[^\n]+$")
"""Folder in a .pth file."""
_QUOTED = re.compile(r"""['"](/[^'"\n]+)['"]""")
"""Folder of a package in the finder that an editable install leaves."""


def environment_digest(python: Interpreter) -> str:
    """Digest of the interpreter, the versions of its packages, codeopt's own code and the machine. Raises OSError."""
    binary = Path(python.path).resolve().stat()
    parts = [
        ("python", python.path, python.version, binary.st_size, binary.st_mtime_ns),
        ("codeopt", __version__, _own_code()),
        ("machine", sorted(machine().items())),
        *(("packages", str(folder), list(_installed(folder))) for folder in _folders(python)),
    ]
    return digest_of(parts)


def imported_from_elsewhere(python: Interpreter) -> tuple[Path, ...]:
    """Folders outside of the interpreter's packages that it imports from, such as a project that is installed in place.
    Raises OSError."""
    found: list[Path] = []
    for folder in _folders(python):
        for file in [*folder.glob("*.pth"), *folder.glob("*.egg-link")]:
            found += map(Path, _LINE.findall(file.read_text("utf-8", "replace")))
        for file in folder.glob("__editable__*.py"):
            found += (Path(named).parent for named in _QUOTED.findall(file.read_text("utf-8", "replace")))
    return tuple(place for place in sorted(set(found)) if place.is_dir() and place.parent != place)


def digest_of(parts: Any) -> str:
    """SHA-256 of what JSON can hold, in hexadecimal."""
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _folders(python: Interpreter) -> list[Path]:
    named = dict.fromkeys(Path(each).resolve() for each in python.libraries)
    inside = [folder / name for folder in named for name in PACKAGES]
    return [folder for folder in (*named, *inside) if folder.name in PACKAGES and folder.is_dir()]


def _installed(folder: Path) -> Iterator[Sequence[object]]:
    """Entries of a folder of packages, with those files that name the versions."""
    for entry in sorted(os.scandir(folder), key=lambda each: each.name):
        if entry.name.startswith("__pycache__"):
            continue
        yield _signature(entry)
        if entry.name.endswith(RECORDS) and entry.is_dir():
            yield from map(_signature, sorted(os.scandir(entry.path), key=lambda each: each.name))


def _signature(entry: os.DirEntry[str]) -> Sequence[object]:
    status = entry.stat(follow_symlinks=False)
    changed = 0 if entry.is_dir(follow_symlinks=False) else status.st_mtime_ns
    return entry.name, status.st_size if changed else 0, changed


@cache
def _own_code() -> str:
    """Size and time of each file of codeopt: its version says nothing of a checkout."""
    found = [spec for name in ("codeopt", "codeopt_sandbox") if (spec := find_spec(name)) is not None]
    folders = [Path(place) for spec in found for place in spec.submodule_search_locations or ()]
    return digest_of([list(_sources(folder)) for folder in folders])


def _sources(folder: Path) -> Iterable[Sequence[object]]:
    for path in sorted(folder.rglob("*.py")):
        status = path.stat()
        yield str(path.relative_to(folder)), status.st_size, status.st_mtime_ns
