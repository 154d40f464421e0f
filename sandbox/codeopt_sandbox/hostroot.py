"""Read-only view of the host inside a guest: system libraries, and the interpreter with its packages.

An interpreter's prefix is never shown as a whole. A virtual environment at a project's root has the project as its
prefix, with its secrets, its history and the answers to its tests.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codeopt_sandbox.interpreter import PythonFacts, known_python

_TOP = ("bin", "lib", "lib32", "lib64", "sbin")
_SYSTEM = ("bin", "lib", "lib32", "lib64", "libexec", "sbin", "share")
"""Folders of /usr and /usr/local to show. Not src, where container images keep projects, nor etc, with pip's
configuration."""
_EXTRA = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
_CONFIGURATION = frozenset(
    {"pip.conf", "pip.ini", "uv.toml", "auth.toml", "distutils.cfg", ".condarc", ".env", ".netrc", ".pypirc", "_netrc"}
)
"""Names of files that hold the user's passwords for package indexes and other hosts."""
_DISTUTILS = ("distutils/distutils.cfg", "site-packages/setuptools/_distutils/distutils.cfg")


@dataclass(frozen=True)
class HostRoot:
    """A root file system made of the host's own parts."""

    python: str
    links: Mapping[str, str]
    """Path below / -> where it points: on most hosts /bin and /lib are links into /usr."""
    binds: tuple[str, ...]
    """Paths to mount read-only at the same place, outermost first."""
    masked: tuple[str, ...]
    """Files below them to cover: what lets a run talk to the host, and configuration that may hold passwords."""
    env: Mapping[str, str]


def host_root(python: str | None = None) -> HostRoot:
    """The host root for an interpreter. Raises BadInterpreter."""
    asked = known_python(python or sys.executable)
    links = {path: str(Path("/", path).readlink()) for path in _system() if Path("/", path).is_symlink()}
    real = [f"/{path}" for path in _system() if path not in links and path != "usr"]
    has_user_site = bool(asked.user_site) and os.access(asked.user_site, os.R_OK | os.X_OK)
    wanted = [*real, *_parts(asked), *([asked.user_site] if has_user_site else []), *_EXTRA]
    binds = _outermost([path for path in wanted if Path(path).exists()])
    env = {"PYTHONUSERBASE": asked.user_base} if has_user_site else {}
    return HostRoot(asked.executable, links, binds, _masked(binds, asked.libraries), env)


def masked_mounts(mounts: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Sockets, FIFOs and devices anywhere below folders that the user shows, as a run would see them.

    A read-only mount does not stop a run from using them.
    """
    found = []
    for folder, inside in mounts:
        todo = [folder]
        while todo:
            for entry in _entries(todo.pop()):
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
                elif _is_special(entry):
                    found.append(str(Path(inside, Path(entry.path).relative_to(folder))))
    return tuple(found)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:  # no folder, or no right to read it: a run has the same rights
        return []


def _is_special(entry: os.DirEntry[str]) -> bool:
    return not (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False) or entry.is_symlink())


def _system() -> list[str]:
    return [*_TOP, *(f"{above}/{name}" for above in ("usr", "usr/local") for name in _SYSTEM)]


def _parts(asked: PythonFacts) -> list[str]:
    """Parts of each prefix that the interpreter needs: programs, packages, shared libraries, the marker of an
    environment."""
    # The `bin` folders of the executable and of the links to it; in other folders it is the executable alone. For
    # example, `.venv/bin/python` may lead to `~/.local/bin/python3.13`, which leads to the real one.
    ways, path = [], Path(asked.executable)
    for _ in range(40):  # as many as the kernel follows
        ways.append(path)
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    places = (each.parent if each.parent.name == "bin" else each for each in (*ways, path.resolve()))
    parts = [*map(str, places), *asked.libraries]
    for prefix in map(Path, asked.prefixes):
        parts += [str(prefix / "bin"), str(prefix / "pyvenv.cfg")]
        parts += _shared_libraries(prefix)
    whole = {parent for prefix in asked.prefixes for parent in (Path(prefix), *Path(prefix).parents)}
    return [part for part in parts if Path(part) not in whole]


def _shared_libraries(prefix: Path) -> list[str]:
    if str(prefix) in ("/", "/usr", "/usr/local") or (prefix / "pyvenv.cfg").exists():
        return []
    if (prefix / "conda-meta").is_dir():  # hundreds of them: one mount instead
        return [str(prefix / "lib")]
    return [str(path) for name in ("lib", "lib64") for path in sorted((prefix / name).glob("*.so*")) if path.is_file()]


def _masked(binds: tuple[str, ...], libraries: tuple[str, ...]) -> tuple[str, ...]:
    """Paths to mask: secrets at the top of a mounted folder, and every socket below one that the kernel knows to be
    bound.

    A large environment is not searched as a whole: 60,000 files take more than a second when the disk is cold.
    """
    found = {f"{library}/{name}" for library in libraries for name in _DISTUTILS}
    # Bound sockets by every name under which a guest would see them: a folder may be mounted by two.
    real = [(os.path.realpath(bind), bind) for bind in binds]
    lines: list[str] = []
    with suppress(OSError):
        lines = Path("/proc/net/unix").read_text(errors="surrogateescape").splitlines()
    for fields in (line.split(maxsplit=7) for line in lines):
        if len(fields) < 8 or not fields[7].startswith("/"):  # the kernel has no path of one bound by a relative name
            continue
        path = Path(os.path.realpath(fields[7]))
        found.update(str(Path(shown, path.relative_to(top))) for top, shown in real if path.is_relative_to(top))
    for folder in {*binds, *libraries, *(f"{library}/site-packages" for library in libraries)}:
        found.update(e.path for e in _entries(folder) if e.name in _CONFIGURATION or _is_special(e))
    shown = (path for path in found if any(Path(path).is_relative_to(bind) for bind in binds))
    return tuple(sorted(path for path in shown if Path(path).exists()))


def _outermost(paths: list[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda p: (len(Path(p).parts), p)):
        if not any(Path(path).is_relative_to(parent) for parent in kept):
            kept.append(path)
    return tuple(kept)
