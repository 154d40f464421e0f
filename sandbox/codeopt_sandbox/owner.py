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
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from codeopt_sandbox.outcome import Files


_OWNED = re.compile(r"codeopt-[a-z]+-([0-9a-f-]{36}(?:\.\d+){3})-\w+")
"""Name of a temporary folder: what it is for, its owner with dots, as a search path may not have colons."""
_OWN_HOSTNAME = re.compile(r" \S*/([0-9a-f]{64})/\S*hostname /etc/hostname ")
"""Engines mount that file from a folder of the container's name; a --hostname or the host's network changes nothing."""
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
        text = Path(f"/proc/{pid}/stat").read_bytes()  # a process may have any bytes as its name
    except OSError:
        return 0
    return int(text.rpartition(b")")[2].split()[19])


def own_container_id(mountinfo: Path) -> str | None:
    """The id of the container that has these mounts; None where they are those of no container."""
    try:
        found = _OWN_HOSTNAME.search(mountinfo.read_text(errors="replace"))
    except OSError:
        return None
    return found.group(1) if found else None


# The files that working folders of runs begin as: written once on this machine, and shown read-only to every guest.
#
# A run has them as if each were a copy of its own; see codeopt_sandbox.guest.supervisor.folders.


INSIDE = "/base"
"""Path of the base in an isolating sandbox."""
_PAGE = 4096
_MEMORY = Path("/dev/shm")


class BaseFolder:
    """A folder that only ever gets more files. Use as a context manager."""

    def __init__(self, files: Files = (), room_mib: int = 0) -> None:
        self.room_mib = room_mib
        """Additional size of a run's files, MiB."""
        above = _place(sum(len(content) for _, content in files))
        self.place = owned_folder("base", above)
        """Folder around it, in which a backend may keep related files."""
        self.place.chmod(0o755)  # a run has a user of its own, and loads compiled extensions from here
        self.folder = self.place / "files"
        self.folder.mkdir(mode=0o755)
        self.version = 0
        """Number of times that files were added. A guest rebuilds its working folder after each."""
        self._sizes: dict[str, int] = {}
        self._folders: set[Path] = {self.folder}
        self.add(files)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self.close()

    def add(self, files: Files) -> None:
        """Write more files. Raises OSError."""
        for name, content in files:
            path = self.folder / name
            if path.parent not in self._folders:
                path.parent.mkdir(parents=True, exist_ok=True)
                for folder in (path.parent, *path.parent.parents):
                    if folder in self._folders:
                        break
                    folder.chmod(0o755)
                    self._folders.add(folder)
            path.unlink(missing_ok=True)  # what is there is read-only
            path.write_bytes(content)
            path.chmod(0o444)
            self._sizes[name] = len(content)
        self.version += 1

    @property
    def room_bytes(self) -> int:
        """Memory that one copy takes, with as much again for what is added: bytecode of its modules, bytes."""
        return 2 * sum(-(-size // _PAGE) * _PAGE for size in self._sizes.values())

    @property
    def room_files(self) -> int:
        """Number of files and folders of a copy, with as many again."""
        # files and folders that runs may add, at least
        return 2 * (len(self._sizes) + len(self._folders)) + 4096

    def close(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)


def named_folder() -> Path | None:
    """Return the folder for temporary files that the user names."""
    named = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return Path(tempfile.gettempdir()) if named else None


def _place(size: int) -> Path:
    """Return the folder for a new base: memory if it has room, as a disk may take 1 ms a file.

    It is not memory in a container, whose engine finds nothing there, or if the user names a folder for temporary
    files.
    """
    if named_folder() or own_container_id(Path("/proc/self/mountinfo")) or not os.access(_MEMORY, os.W_OK):
        return Path(tempfile.gettempdir())
    there = os.statvfs(_MEMORY)
    # the file system in memory is taken where it has this many times as much room as the files need
    fits = there.f_bavail * there.f_frsize > 8 * size and not there.f_flag & os.ST_NOEXEC
    return _MEMORY if fits else Path(tempfile.gettempdir())
