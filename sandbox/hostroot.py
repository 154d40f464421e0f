"""What of the host a guest sees, read-only: /usr, the interpreter with its packages, and how to find libraries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import BackendUnavailable

_TOP = ("bin", "lib", "lib32", "lib64", "sbin")
_EXTRA = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
_ASK = """
import json, os, site, sys
user = site.getusersitepackages() if site.ENABLE_USER_SITE else ""
folders = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
print(json.dumps([sys.executable, [os.path.realpath(f) for f in folders] + folders, user, site.getuserbase()]))
"""


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
    """The host root for an interpreter. Raises BackendUnavailable when the interpreter cannot be asked."""
    executable, prefixes, user_site, user_base = _ask(python or sys.executable)
    links = {n: str(Path("/", n).readlink()) for n in _TOP if Path("/", n).is_symlink()}
    real = [f"/{n}" for n in _TOP if n not in links and Path("/", n).is_dir()]
    has_user_site = bool(user_site) and os.access(user_site, os.R_OK | os.X_OK)
    wanted = ["/usr", *real, *prefixes, *([user_site] if has_user_site else []), *_EXTRA]
    binds = _outermost([path for path in wanted if path != "/" and Path(path).exists()])
    return HostRoot(executable, links, binds, {"PYTHONUSERBASE": user_base} if has_user_site else {})


def _ask(python: str) -> tuple[str, list[str], str, str]:
    try:
        done = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise BackendUnavailable(f"the interpreter {python!r} does not run: {error}") from error
    answer = json.loads(done.stdout)
    return answer[0], answer[1], answer[2], answer[3]


def _outermost(paths: list[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda p: (len(Path(p).parts), p)):
        if not any(Path(path).is_relative_to(parent) for parent in kept):
            kept.append(path)
    return tuple(kept)
