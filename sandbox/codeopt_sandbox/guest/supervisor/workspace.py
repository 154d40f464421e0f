"""Folders that runs write to: the program's file goes in before a run, and everything is gone after it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from pathlib import Path

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
