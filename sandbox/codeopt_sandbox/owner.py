"""Owners of containers and temporary folders, which tell what a killed process left from what a living one uses."""

from __future__ import annotations

import contextlib
import math
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_OWNED = re.compile(r"codeopt-[a-z]+-([0-9a-f-]{36}(?:\.\d+){3})-\w+")
"""Name of a temporary folder: what it is for, its owner with dots, as a search path may not have colons."""
LIFETIME_S = 24 * 3600.0
"""Age from which on a container is a leftover of any owner, seconds."""


def current_owner() -> str:
    """Label of this process, `boot:pid namespace:pid:start time in clock ticks`; no two processes ever share it."""
    return f"{_boot()}:{_namespace()}:{os.getpid()}:{_started(os.getpid())}"


def is_leftover(owner: str, deadline: str) -> bool:
    """Return True if the owner is certainly gone, or the deadline (seconds since the epoch) has passed.

    Only the deadline decides for owners in another pid namespace, as nothing is known about them. The same applies to
    another boot, which may be another machine with the same engine. After a restart of this machine the engine itself
    removes old containers, because of `auto_remove`.
    """
    try:
        if float(deadline) < time.time():
            return True
        boot, namespace, pid, started = owner.split(":")
        if (boot, namespace) != (_boot(), _namespace()):
            return False
        return _started(int(pid)) != int(started)
    except ValueError:  # labels that are not ours
        return False


def owned_folder(kind: str, above: Path | None = None) -> Path:
    """Make `codeopt-KIND-OWNER-RANDOM` in the folder for temporary files, or in `above`.

    All such folders there whose owner was killed are removed first.
    """
    above = above or Path(tempfile.gettempdir())
    for path in above.glob("codeopt-*"):
        owner = _OWNED.fullmatch(path.name)
        if owner and is_leftover(owner[1].replace(".", ":"), str(math.inf)):
            shutil.rmtree(path, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"codeopt-{kind}-{current_owner().replace(':', '.')}-", dir=above))


@contextlib.contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """An `owned_folder` that is removed at the end."""
    folder = owned_folder(kind)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _started(pid: int) -> int:
    """Return the start time of a process; 0 if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return int(text.rpartition(")")[2].split()[19])
