"""The only functions that read files of a user or a repository: plain files, without waiting, up to a limit.

A pipe, a device or a socket at a file's path or behind a link would block, never end, or act.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

MAX_BYTES = 1 << 30
"""Most bytes of one file."""
_KINDS = (
    (stat.S_ISLNK, "a link, which is not followed here (put a copy in its place)"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotPlain(OSError):
    """A path that is no plain file; `strerror` says what it is."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(errno.EINVAL, why, str(path))


class TooLarge(NotPlain):
    """A plain file with more bytes than are read."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__(path, f"it is larger than {limit >> 20} MiB")


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Read a plain file; /dev/null is an empty one. Raises OSError, with NotPlain for anything else."""
    status = path.stat()  # before it is opened: to open a device or a pipe may already act
    if stat.S_ISCHR(status.st_mode) and status.st_rdev == Path(os.devnull).stat().st_rdev:
        return b""
    _require_plain(path, status, limit)
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        _require_plain(path, os.fstat(file), limit)
        data = bytearray()
        # bytes of one read: `read` takes memory for all that it is asked for, however small the file
        while part := os.read(file, 1 << 16):  # the size is no bound: a file may grow while it is read
            data += part
            if len(data) > limit:
                raise TooLarge(path, limit)
    finally:
        os.close(file)
    return bytes(data)


def read_text(path: Path, errors: str = "strict", limit: int = MAX_BYTES) -> str:
    """Read a plain file of UTF-8 text, with plain line ends. Raises OSError, and ValueError for other text."""
    return read_bytes(path, limit).decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n")


def is_there(path: Path, *, folder: bool = False) -> bool:
    """Return True if a plain file, or a folder, is at a path.

    Raises:
        NotPlain: It is a link, a pipe, a device or a socket. A link of a repository can lead to any file of the user.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise NotPlain(path, f"it is {_kind(mode)}")
    return folder is stat.S_ISDIR(mode)


def what_waits(path: Path) -> NotPlain | None:
    """Say why to open a path may wait for ever, links followed: a named pipe or a device is there. None: it may not."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None
    waits = stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
    return NotPlain(path, f"it is {_kind(mode)}") if waits else None


def _require_plain(path: Path, status: os.stat_result, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotPlain(path, f"it is {_kind(status.st_mode)}")
    if status.st_size > limit:
        raise TooLarge(path, limit)


def _kind(mode: int) -> str:
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "no plain file")


def is_plain(path: Path) -> bool:
    """Return whether a path is a file, without a link on the way to it."""
    return path.is_file() and path == Path(os.path.realpath(path))


def copied_plain(root: Path, path: Path | str, folder: Path, place: Path | None = None) -> bool:
    """Copy a plain file of one folder to a place in another, None for the same place.

    Return False if it is not a plain file, or if the place lies outside.
    """
    source, target = root.resolve() / path, folder / (place or path)
    if not is_plain(source) or not target.resolve().is_relative_to(folder.resolve()):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return True
