"""Digest of everything outside of a project on which its evidence depends: interpreter, packages, codeopt, machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from codeopt.core.interpreter import Interpreter
from codeopt.core.linked_packages import package_folders
from codeopt.core.machine import machine
from codeopt.core.version import __version__

RECORDS = (".dist-info", ".egg-info")
"""Endings of folders that say which version of a package is installed."""


def environment_digest(python: Interpreter) -> str:
    """Digest of the interpreter, the versions of its packages, codeopt's own code and the machine. Raises OSError."""
    binary = Path(python.path).resolve().stat()
    parts = [
        ("python", python.path, python.version, binary.st_size, binary.st_mtime_ns),
        ("codeopt", __version__, _own_code()),
        ("machine", sorted(machine().items())),
        *(("packages", str(folder), list(_installed(folder))) for folder in package_folders(python.libraries)),
    ]
    return digest_of(parts)


def digest_of(parts: Any) -> str:
    """SHA-256 of what JSON can hold, in hexadecimal."""
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


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
    """Return a digest of the sizes and times of codeopt's files. In a checkout its version does not show a change."""
    found = [spec for name in ("codeopt", "codeopt_sandbox") if (spec := find_spec(name)) is not None]
    folders = [Path(place) for spec in found for place in spec.submodule_search_locations or ()]
    return digest_of([list(_sources(folder)) for folder in folders])


def _sources(folder: Path) -> Iterable[Sequence[object]]:
    for path in sorted(folder.rglob("*.py")):
        status = path.stat()
        yield str(path.relative_to(folder)), status.st_size, status.st_mtime_ns
