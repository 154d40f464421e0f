"""Folders that runs write to: the program's file goes in before a run, and everything is gone after it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..wire import REMOVED, SPECIAL
from .job import Setting

WORK = "work"
"""Name of the working folder of a run that is given files, in the first scratch folder."""


class Workspace:
    """The box and the scratch folders of one guest."""

    def __init__(self, setting: Setting) -> None:
        self.box, self.scratch = setting.box, setting.scratch
        self.own_user = not setting.uid_base
        """Runs have our own user, so they can change the folders themselves."""
        # An interpreter that lives below /tmp is mounted there: the way to it is not something that a run left.
        self.kept = frozenset(str(path) for folder in self.scratch for path in Path(folder).iterdir())

    @staticmethod
    def make(setting: Setting) -> Workspace:
        """The folders, made where they are not there."""
        for folder in (setting.box, *setting.scratch):
            Path(folder).mkdir(parents=True, exist_ok=True)
        if setting.base:  # where it is no mount; it stays from run to run
            Path(setting.scratch[0], WORK).mkdir(exist_ok=True)
        if setting.uid_base:
            for folder in setting.scratch:  # an engine gives a mount the mode of the folder below it
                Path(folder).chmod(0o1777)
        return Workspace(setting)

    def place(self, program: bytes) -> str:
        """The path of the program's file for the next run."""
        path = f"{self.box}/program.py"
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)  # clean() removed the last one
        with os.fdopen(fd, "wb") as file:
            file.write(program)
        for folder in (self.box, *self.scratch):  # when the last run ended, and last wrote, is in their times
            os.utime(folder, (0, 0))
        return path

    def clean(self) -> bool:
        """Empty every folder that a run can write to; False when something would not go."""
        folders = {self.box, *self.scratch}
        if self.own_user:
            for folder in folders:
                _restore(Path(folder))
        return all([_empty(folder, self.kept) for folder in folders])

    def has_leftovers(self) -> bool:
        """Return True if a writable folder of the run is not empty."""
        return any(_others(folder, self.kept) for folder in (self.box, *self.scratch))

    def remove(self) -> None:
        """The folders themselves."""
        for folder in (self.box, *self.scratch):
            shutil.rmtree(folder, ignore_errors=True)
        Path(self.box).parent.rmdir()


def _restore(folder: Path) -> None:
    """Undo what a run of our own user can do to a folder itself: replace it, or keep state in its inode."""
    with contextlib.suppress(OSError):  # what cannot be emptied then is reported as not clean
        if folder.is_symlink() or not folder.is_dir():
            folder.unlink(missing_ok=True)
            folder.mkdir()
        folder.chmod(0o700)
        os.utime(folder, (0, 0))
        for name in os.listxattr(folder):
            os.removexattr(folder, name)


def _empty(folder: str, kept: frozenset[str]) -> bool:
    found = _others(folder, kept)
    for entry in found:
        remove(entry.path)
    return not found or not _others(folder, kept)


def _others(folder: str, kept: frozenset[str]) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if entry.path not in kept]


def remove(path: str) -> None:
    """Remove a file, a link or a folder with all that is in it, as far as it goes."""
    with contextlib.suppress(OSError, RecursionError):  # the host throws a guest away that is not clean
        if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)  # noqa: PTH108


# The working folder of a run with files: they are put there before it, and changed files are read after it. Each run
# has copies of its own, which it may change. The changed files are untrusted: - links are never followed - sizes and
# numbers are bounded - an entry that is neither a file nor a link is named and not read

MAX_FILES = 500

GIVEN_NS = 1_000_000_000_000_000_000
"""The time of every given file; another one shows that it was written, though perhaps with the same content."""

READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Flags that open what a run left: a link is not followed, a FIFO does not wait."""


USUAL = 0o644
"""Permissions of a file that is given or newly made."""


class LeftFile(NamedTuple):
    """An entry that a run left."""

    path: str
    size: int
    """Bytes; REMOVED or SPECIAL where there is no content."""
    mode: int = USUAL
    content: bytes = b""


class TooMuch(Exception):
    """A run wrote more than may be sent to the host."""


class WorkingFolder:
    """One run's folder; `given` has kept descriptors by relative path."""

    def __init__(self, path: str, given: dict[str, int]) -> None:
        self.path, self.given = path, given

    def fill(self) -> None:
        """Make it, with copies of what is given. Everything in it may be changed by the run's user."""
        self._make_folder(self.path)
        for name, fd in self.given.items():
            parent = self.path
            for part in name.split("/")[:-1]:
                parent = f"{parent}/{part}"
                if not os.path.isdir(parent):  # noqa: PTH112  for each file of each run
                    self._make_folder(parent)
            into = os.open(f"{self.path}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
            with os.fdopen(reopen(fd), "rb") as source, os.fdopen(into, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
                os.fchmod(into, 0o666)
            os.utime(f"{self.path}/{name}", ns=(GIVEN_NS, GIVEN_NS))

    def _make_folder(self, path: str) -> None:
        os.mkdir(path)  # noqa: PTH102
        os.chmod(path, 0o777)  # noqa: PTH101  not sticky: a program may put a new file in the place of a given one

    def written(self, most: int) -> list[LeftFile]:
        """Files that are new, other than they were given, or gone, by path. Raises TooMuch."""
        found: list[LeftFile] = []
        left = most
        seen: set[str] = set()
        for name in self._names():
            seen.add(name)
            if len(seen) > MAX_FILES + len(self.given):
                raise TooMuch(f"more than {MAX_FILES} files")
            path = f"{self.path}/{name}"
            room = max(left, 0, os.fstat(self.given[name]).st_size if name in self.given else 0)
            there = os.lstat(path)
            size, content = read_left(path, there.st_mode, room)
            if name in self.given and size >= 0 and self._same(name, there, content):
                continue
            left -= len(content)
            found.append(LeftFile(name, size, permissions(there.st_mode), content))
        found += [LeftFile(name, REMOVED) for name in self.given if name not in seen]
        return sorted(found)

    def _names(self) -> Iterator[str]:
        """Relative paths of all that is no folder; links to folders are not entered."""
        if os.path.islink(self.path) or not os.path.isdir(self.path):  # noqa: PTH112, PTH114
            return
        for folder, folders, files in os.walk(self.path):
            here = folder[len(self.path) + 1 :]
            links = [name for name in folders if os.path.islink(f"{folder}/{name}")]  # noqa: PTH114
            for name in (*files, *links):
                yield f"{here}/{name}" if here else name

    def _same(self, name: str, there: os.stat_result, content: bytes) -> bool:
        if there.st_mtime_ns != GIVEN_NS or permissions(there.st_mode) != USUAL:
            return False  # written again with what was there, or opened for others
        with os.fdopen(reopen(self.given[name]), "rb") as file:
            return file.read() == content


def permissions(mode: int) -> int:
    """The permissions to read and execute a file; others may write each given one, so that a run's user may."""
    return stat.S_IMODE(mode) & ~0o022 if stat.S_ISREG(mode) else USUAL


def read_left(path: str, mode: int, most: int) -> tuple[int, bytes]:
    """Return size and content of an entry: of a link its target, of a special entry SPECIAL and nothing.

    Raises:
        TooMuch: The content exceeds `most` bytes.
        OSError: The file cannot be read.
    """
    if stat.S_ISLNK(mode):
        target = os.fsencode(os.readlink(path))  # noqa: PTH115
        return len(target), target
    if not stat.S_ISREG(mode):
        return SPECIAL, b""
    with os.fdopen(os.open(path, READ), "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise TooMuch(f"more than {most} bytes of files")
    return len(content), content


# Files in memory that nobody can change any more: what a guest keeps for runs to read.

_F_ADD_SEALS = 1033

_ALL_SEALS = 0xF


def keep(data: bytes) -> int:
    """A descriptor of a new one."""
    fd = os.memfd_create("kept", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(fd, "wb", closefd=False) as file:
        file.write(data)
    fcntl.fcntl(fd, _F_ADD_SEALS, _ALL_SEALS)
    return fd


def reopen(fd: int) -> int:
    """Another descriptor of the same file, at its beginning."""
    return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)
