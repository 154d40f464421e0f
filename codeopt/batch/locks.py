"""Locks: one a core that measures, shared by all batches of this user on this machine, and one a run folder.

They are `flock`s: the kernel takes them back from a worker that was killed, so nobody waits for the dead.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from codeopt.core.errors import UsageError


def measuring_cores(jobs: int | None = None) -> list[int]:
    """Cores that measure: the last `jobs` of those that this process may use.

    By default every core but the first, which is left to the workers' own work and the engine; both of two.
    """
    usable = sorted(os.sched_getaffinity(0))
    if jobs is None:
        jobs = len(usable) - 1 if len(usable) > 2 else len(usable)
    return usable[-max(1, jobs) :]


@dataclass
class CoreLock:
    """One core, held by one worker at a time while it measures. Not re-entrant."""

    core: int
    waited_s: float = 0.0
    """Time spent waiting for the core so far, seconds."""
    _handle: int = field(default=-1, repr=False)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the core, then hold it alone."""
        if self._handle < 0:
            self._handle = os.open(_home() / f"core-{self.core}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        started = time.monotonic()
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        self.waited_s += time.monotonic() - started
        try:
            yield
        finally:
            fcntl.flock(self._handle, fcntl.LOCK_UN)


def _home() -> Path:
    home = Path(tempfile.gettempdir()) / f"codeopt-cores-{os.getuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    return home


def is_at_work(folder: Path) -> bool:
    """Whether a process holds a run folder: the kernel frees it however the process ended."""
    try:
        handle = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # held, or a file system without locks: what the database says stands
        return True
    finally:
        os.close(handle)
    return False


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder alone, as long as this process lives. Raises UsageError where another process holds it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UsageError(f"cannot use --run-dir {folder}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(handle, 40).decode("ascii", "replace").strip()
            raise UsageError(f"another batch is at work in {folder} (process {holder or 'unknown'})") from error
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(handle)
