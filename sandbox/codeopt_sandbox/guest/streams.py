"""The standard streams of a program, made before the fork that starts it: in a forked process that takes 0.25 ms."""

from __future__ import annotations

import _io
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def new_streams() -> None:
    """New stream objects, made as the interpreter makes them; they learn from descriptors 0 to 2 what those are."""
    for name, fd, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        old = getattr(sys, f"__{name}__")
        buffer: Any = _io.open(fd, mode + "b", closefd=False)
        buffer.raw.name = f"<{name}>"
        new: Any = _io.TextIOWrapper(buffer, old.encoding, old.errors, "\n", line_buffering=name == "stderr")
        new.mode = mode
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def kinds(fds: Iterable[int]) -> list[tuple[int, int]]:
    """Properties that stream objects depend on, for each descriptor: whether it is a file or a pipe, and its block
    size."""
    found = [posix.fstat(fd) for fd in fds]
    return [(status.st_mode & 0o170000, status.st_blksize) for status in found]


def prepare_streams() -> list[tuple[int, int]]:
    """Make them of descriptors of the kinds that a run has, a file and two pipes; returns the kinds they are for."""
    kept = [posix.dup(fd) for fd in range(3)]
    file = posix.open(sys.executable, posix.O_RDONLY)
    reader, writer = posix.pipe()
    for target, fd in enumerate((file, writer, writer)):
        posix.dup2(fd, target)
    new_streams()
    prepared = kinds(range(3))
    for target, fd in enumerate(kept):
        posix.dup2(fd, target)
    for fd in (*kept, file, reader, writer):
        posix.close(fd)
    return prepared
