"""Who may measure on which core: a lock a core, shared by every batch of this user on this machine.

The locks are `flock`s: the kernel takes them back from a worker that was killed, so nobody waits for the dead.
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


def measuring_cores(jobs: int | None = None) -> list[int]:
    """Cores that programs are run on: the last `jobs` of those that we may use.

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
    """Seconds spent waiting for it so far."""
    _handle: int = field(default=-1, repr=False)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the core alone; waits for it."""
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
