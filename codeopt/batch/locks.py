"""Locks: one a core that measures and some a model's server, which all batches of this user on this machine share, and
one a run folder.

The kernel takes them back from a worker that was killed, so nobody waits for the dead.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from codeopt.batch.batch_folder import BatchFolder
from codeopt.core.errors import UsageError
from codeopt.core.run_store import digest


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

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the core, then hold it alone."""
        started = time.monotonic()
        # interval at which a worker looks whether its core is free, seconds; a measurement takes a tenth at least
        with FileLock(shared_folder("cores") / f"core-{self.core}").acquire(poll_interval=0.005):
            self.waited_s += time.monotonic() - started
            yield


def shared_folder(name: str) -> Path:
    """The folder of locks that all batches of this user on this machine share."""
    home = Path(tempfile.gettempdir()) / f"codeopt-{name}-{os.getuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    return home


def taken(lock: FileLock) -> bool:
    """Take a lock, unless somebody else holds it."""
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True


@contextmanager
def request_slot(server: str, count: int) -> Iterator[None]:
    """Wait for a free slot of a model's server, then hold it. server: its URL; empty: the default one."""
    home = shared_folder("requests") / digest(server)[:16]
    home.mkdir(mode=0o700, exist_ok=True)
    slots = [FileLock(home / str(number)) for number in range(count)]
    while (slot := next(filter(taken, slots), None)) is None:
        # interval at which a free slot is looked for, seconds; replies take seconds
        time.sleep(0.05)
    try:
        yield
    finally:
        slot.release()


def is_at_work(folder: Path) -> bool:
    """Whether a process holds a run folder: the kernel frees it however the process ended."""
    lock = FileLock(folder / "lock")
    free = not (folder / "lock").exists() or taken(lock)
    lock.release()
    return not free


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder alone, as long as this process lives. Raises UsageError where another process holds it."""
    lock = FileLock(folder / "lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = taken(lock)
    except OSError as error:
        raise UsageError(f"cannot use --run-dir {folder}: {error.strerror}") from error
    if not free:
        raise UsageError(f"another batch is at work in {folder} (process {BatchFolder(folder).facts.process})")
    try:
        yield
    finally:
        lock.release()
