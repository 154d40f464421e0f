"""A lock on a run folder, so that no two batches write into it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codeopt.core.errors import UsageError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder alone; the lock goes with the process. Raises UsageError when another one has it."""
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
