"""What of the host a guest sees, read-only: /usr, the interpreter with its packages, and how to find libraries."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.interpreter import ask_python

_TOP = ("bin", "lib", "lib32", "lib64", "sbin")
_EXTRA = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
_OF_A_PREFIX = ("bin", "lib", "lib64", "libexec", "share", "pyvenv.cfg")
"""Interpreter, standard library, packages, and the data of packages; nothing else that a prefix such as a home folder
may hold."""


@dataclass(frozen=True)
class HostRoot:
    """A root file system made of the host's own parts."""

    python: str
    links: dict[str, str]
    """Name in / -> where it points, on hosts whose /bin and /lib are links into /usr."""
    binds: tuple[str, ...]
    """Paths to mount read-only at the same place, outermost first."""
    env: dict[str, str]


def host_root(python: str | None = None) -> HostRoot:
    """The host root for an interpreter. Raises BadInterpreter."""
    facts = ask_python(python or sys.executable)
    links = {n: str(Path("/", n).readlink()) for n in _TOP if Path("/", n).is_symlink()}
    real = [f"/{n}" for n in _TOP if n not in links and Path("/", n).is_dir()]
    user_site = [facts.user_site] if facts.user_site and os.access(facts.user_site, os.R_OK | os.X_OK) else []
    prefixes = [each for prefix in facts.prefixes for each in (prefix, os.path.realpath(prefix))]
    parts = [str(Path(prefix, part)) for prefix in prefixes for part in _OF_A_PREFIX]
    wanted = ["/usr", *real, *parts, *_way_to(facts.executable), *user_site, *_EXTRA]
    binds = _outermost([path for path in wanted if path != "/" and Path(path).exists()])
    return HostRoot(facts.executable, links, binds, {"PYTHONUSERBASE": facts.user_base} if user_site else {})


def _way_to(executable: str) -> list[str]:
    """The folders of the links that an executable is behind: `.venv/bin/python` may lead to `~/.local/bin/python3.13`,
    which leads to the real one."""
    found = []
    path = Path(executable)
    for _ in range(40):  # as many as the kernel follows
        found.append(str(path.parent) if path.parent.name == "bin" else str(path))
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return found


def _outermost(paths: list[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda p: (len(Path(p).parts), p)):
        if not any(Path(path).is_relative_to(parent) for parent in kept):
            kept.append(path)
    return tuple(kept)
