"""The working folder of a run with files: filled before it, read after it, and restored where it stays for the next.

In a guest with a base, which is read-only and the same for all guests, it begins with the files of the base; otherwise
it is made for each run, with copies of what that is given. A run may change, replace, remove and add files. All files
are compared with what they were to find the changes: times prove nothing, as a write through shared memory leaves none.
Inode numbers and modes reveal earlier runs, so after a replaced or removed file the whole folder is made again.
Compiled extensions are links into the base, as nothing can be executed from a scratch folder.

The changed files are untrusted: links are never followed, sizes and numbers are bounded, and an entry that is neither a
file nor a link is named and not read.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..wire import REMOVED, SPECIAL, Setting

ATTRIBUTES = ("user.", "system.")
"""Beginnings of the names of extended attributes that a run can set."""
_CHUNK = 1 << 20
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
MAX_FILES = 500
"""Files that a run may add."""
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
    """`path` names the same folder in all runs. base: folder of the base; empty where there is none."""

    def __init__(self, path: str, base: str) -> None:
        self.path, self.base, self.user = path, base, os.geteuid()
        self.version = -1
        """Version of the base that it was filled from; -1 where it has to be made."""
        self.inodes: dict[str, tuple[int, int]] = {}
        """Number and kind of everything that a run finds, folders included, by relative path; "" is the working folder
        itself."""
        self.sizes: dict[str, int] = {}
        """Size of every file of the base, by relative path; SPECIAL for a folder."""
        self.given: dict[str, int] = {}
        self.hidden: tuple[str, ...] = ()
        self.changed: list[str] = []
        self.added: list[str] = []
        self.disturbed = False
        """True if the last run changed more than contents: replaced or removed files, modes, attributes, links."""

    def fill(self, version: int, given: dict[str, int], hidden: list[str]) -> None:
        """Put a run's own files on top of the base, kept descriptors by relative path, and leave some of it out."""
        if version != self.version:
            self._make(version)
        self.given, self.hidden = given, tuple(name for name in hidden if name in self.sizes)
        for name in self.hidden:
            self._unlink(name)
        for name in sorted({each for hidden in self.hidden for each in _parents(hidden)}, reverse=True):
            if not os.listdir(f"{self.path}/{name}"):  # noqa: PTH208  an empty folder can be imported
                os.rmdir(f"{self.path}/{name}")  # noqa: PTH106
                del self.inodes[name]
        for name, fd in given.items():
            for parent in _parents(name):
                if parent not in self.inodes:
                    self._make_folder(parent)
            if is_native(name) and name in self.inodes:
                self._unlink(name)
            self._put(name, reopen(fd))
        for name in self.inodes:  # one time for everything: when a file was last read or changed tells of earlier runs
            os.utime(f"{self.path}/{name}", ns=(GIVEN_NS, GIVEN_NS), follow_symlinks=False)

    def _make(self, version: int) -> None:
        """The whole folder from the base. Raises OSError."""
        self.inodes, self.sizes = {}, {"": SPECIAL}
        if not os.path.isdir(self.path):  # noqa: PTH112
            os.mkdir(self.path)  # noqa: PTH102
        os.chmod(self.path, 0o777)  # noqa: PTH101
        self._note("")
        for folder, folders, files in os.walk(self.base):
            here = folder[len(self.base) + 1 :] + "/" if folder != self.base else ""
            for name in folders:
                self._make_folder(here + name)
                self.sizes[here + name] = SPECIAL
            for name in files:
                self._put_base(here + name)
        self.version = version

    def _make_folder(self, name: str) -> None:
        os.mkdir(f"{self.path}/{name}")  # noqa: PTH102
        os.chmod(f"{self.path}/{name}", 0o777)  # noqa: PTH101  not sticky, as of any given file
        self._note(name)

    def _put_base(self, name: str) -> None:
        if is_native(name):
            os.symlink(f"{self.base}/{name}", f"{self.path}/{name}")  # noqa: PTH211
            self.sizes[name] = self._note(name)
        else:
            self.sizes[name] = self._put(name, os.open(f"{self.base}/{name}", READ))

    def _put(self, name: str, source: int) -> int:
        """Size of the file, into whose inode the content is written where there is one. Closes the source."""
        target = os.open(f"{self.path}/{name}", _WRITE)
        try:
            os.ftruncate(target, 0)
            while data := os.read(source, _CHUNK):
                os.write(target, data)
            if name not in self.inodes:
                os.fchmod(target, 0o666)
        finally:
            os.close(source)
            os.close(target)
        return self._note(name)

    def _note(self, name: str) -> int:
        there = os.lstat(f"{self.path}/{name}")
        self.inodes[name] = there.st_ino, stat.S_IFMT(there.st_mode)
        return there.st_size

    def _unlink(self, name: str) -> None:
        os.unlink(f"{self.path}/{name}")  # noqa: PTH108
        del self.inodes[name]

    # -- after a run --------------------------------------------------------------------------------------------

    def written(self, most: int) -> list[LeftFile]:
        """Files that are new, other than they were given, or gone, by path. Raises TooMuch, OSError."""
        self.changed, self.added, self.disturbed = [], [], True  # also after an error
        found: list[LeftFile] = []
        left, files, disturbed = most, 0, False
        missing = set(self.inodes)
        for name, there in self._tree():
            if name in missing:
                missing.remove(name)
                disturbed = disturbed or self._is_disturbed(name, there)
                if self._is_same(name, there):
                    continue
                self.changed.append(name)
            else:
                self.added.append(name)
            files += not stat.S_ISDIR(there.st_mode)
            if files > MAX_FILES + len(self.inodes):
                raise TooMuch(f"more than {MAX_FILES} files")
            if stat.S_ISDIR(there.st_mode):
                if self._was_file(name):
                    found.append(LeftFile(name, REMOVED))
            else:
                given = os.fstat(self.given[name]).st_size if name in self.given else 0
                room = max(left, 0, self.sizes.get(name, 0), given)
                size, content = read_left(f"{self.path}/{name}", there.st_mode, room)
                left -= len(content)
                found.append(LeftFile(name, size, permissions(there.st_mode), content))
        self.disturbed = disturbed or bool(missing)
        found += [LeftFile(name, REMOVED) for name in missing if self._was_file(name)]
        return sorted(found)

    def _was_file(self, name: str) -> bool:
        return name in self.inodes and not stat.S_ISDIR(self.inodes[name][1])

    def put_back(self) -> bool:
        """Make it what it was before `fill`; False when something would not go."""
        if self.disturbed:
            return self._empty()
        own = [name for name in self.inodes if name not in self.sizes]
        for name in (*self.added, *reversed(own)):
            remove(f"{self.path}/{name}")
            self.inodes.pop(name, None)
        for name in self.given:
            if is_native(name) and name in self.sizes:
                self._unlink(name)
        for name in dict.fromkeys((*self.changed, *self.given, *self.hidden)):
            if self.sizes.get(name, SPECIAL) != SPECIAL:
                for parent in _parents(name):
                    if parent not in self.inodes:
                        self._make_folder(parent)
                self._put_base(name)
        return True

    def _empty(self) -> bool:
        self.version = -1
        if os.path.islink(self.path) or not os.path.isdir(self.path):  # noqa: PTH112, PTH114  where a run has our user
            remove(self.path)
            return not os.path.lexists(self.path)  # noqa: PTH110
        os.chmod(self.path, 0o777)  # noqa: PTH101
        for name in os.listxattr(self.path):
            if name.startswith(ATTRIBUTES):
                os.removexattr(self.path, name)
        with os.scandir(self.path) as entries:
            for entry in entries:
                remove(entry.path)
        return not os.listdir(self.path)  # noqa: PTH208

    def _tree(self) -> Iterator[tuple[str, os.stat_result]]:
        """Everything below, a folder before what is in it; links are not followed. Nothing where a run has removed the
        folder itself, or put something else there."""
        if os.path.islink(self.path) or not os.path.isdir(self.path):  # noqa: PTH112, PTH114
            return
        yield "", os.lstat(self.path)
        todo = [""]
        while todo:
            here = todo.pop()
            with os.scandir(f"{self.path}/{here}") as entries:
                found = [(here + entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
            todo += [f"{name}/" for name, there in found if stat.S_ISDIR(there.st_mode)]
            yield from found

    def _is_disturbed(self, name: str, there: os.stat_result) -> bool:
        """Return True if an entry is a different one, or differs in more than its content."""
        path = f"{self.path}/{name}"
        if (there.st_ino, stat.S_IFMT(there.st_mode)) != self.inodes[name] or there.st_uid != self.user:
            return True  # a file system of a disk gives a number that was freed to the next file
        if any(each.startswith(ATTRIBUTES) for each in os.listxattr(path, follow_symlinks=False)):
            return True
        if stat.S_ISREG(there.st_mode):
            return stat.S_IMODE(there.st_mode) != 0o666 or there.st_nlink != 1
        return stat.S_ISDIR(there.st_mode) and stat.S_IMODE(there.st_mode) != 0o777

    def _is_same(self, name: str, there: os.stat_result) -> bool:
        """Return True if an entry has its given content and was not written."""
        path = f"{self.path}/{name}"
        size = self.sizes.get(name, REMOVED)
        if stat.S_ISDIR(there.st_mode):
            return name not in self.given and size in (SPECIAL, REMOVED)
        if stat.S_ISLNK(there.st_mode):
            return is_native(name) and name not in self.given and os.readlink(path) == f"{self.base}/{name}"  # noqa: PTH115
        if not stat.S_ISREG(there.st_mode) or there.st_mtime_ns != GIVEN_NS:
            return False  # or written again with what was there
        if permissions(there.st_mode) != USUAL:
            return False
        if name in self.given:
            return _same(reopen(self.given[name]), os.open(path, READ))
        return size == there.st_size and _same(os.open(f"{self.base}/{name}", READ), os.open(path, READ))


def is_native(name: str) -> bool:
    """Return True for machine code that a program may load, such as `_speed.cpython-311-x86_64-linux-gnu.so`."""
    return name.endswith((".so", ".pyd")) or ".so." in name.rpartition("/")[2]


def _parents(name: str) -> Iterator[str]:
    at = name.find("/")
    while at >= 0:
        yield name[:at]
        at = name.find("/", at + 1)


def _same(one: int, other: int) -> bool:
    """Return True if two files have the same content. Both are closed."""
    try:
        while data := os.read(one, _CHUNK):
            if os.read(other, _CHUNK) != data:
                return False
        return not os.read(other, 1)
    finally:
        os.close(one)
        os.close(other)


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


# Folders that runs write to: the program's file goes in before a run, and everything is gone after it.


WORK = "work"
"""Name of the working folder of a run that is given files, in the first scratch folder."""


class Workspace:
    """The box and the scratch folders of one guest."""

    def __init__(self, setting: Setting) -> None:
        """Make the folders, where they are not there."""
        self.box, self.scratch = setting.box, setting.scratch
        for place in (self.box, *self.scratch):
            Path(place).mkdir(parents=True, exist_ok=True)
        if setting.base:  # where it is no mount; it stays from run to run
            Path(self.scratch[0], WORK).mkdir(exist_ok=True)
        for place in self.scratch if setting.uid_base else ():
            Path(place).chmod(0o1777)  # an engine gives a mount the mode of the folder below it
        self.own_user = not setting.uid_base
        """Runs have our own user, so they can change the folders themselves."""
        # An interpreter that lives below /tmp is mounted there: the way to it is not something that a run left.
        self.kept = frozenset(str(path) for folder in self.scratch for path in Path(folder).iterdir())

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
            for folder in map(Path, folders):  # a run of our own user can replace it, or keep state in its inode
                with contextlib.suppress(OSError):  # what cannot be emptied then is reported as not clean
                    if folder.is_symlink() or not folder.is_dir():
                        folder.unlink(missing_ok=True)
                        folder.mkdir()
                    folder.chmod(0o700)
                    os.utime(folder, (0, 0))
                    for name in os.listxattr(folder):
                        os.removexattr(folder, name)
        return all([_empty(folder, self.kept) for folder in folders])

    def has_leftovers(self) -> bool:
        """Return True if a writable folder of the run is not empty."""
        return any(_others(folder, self.kept) for folder in (self.box, *self.scratch))

    def remove(self) -> None:
        """The folders themselves."""
        for folder in (self.box, *self.scratch):
            shutil.rmtree(folder, ignore_errors=True)
        Path(self.box).parent.rmdir()


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
