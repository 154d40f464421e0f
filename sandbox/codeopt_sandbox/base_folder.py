"""The files that working folders of runs begin as: written once on this machine, and shown read-only to every guest.

A run has them as if each were a copy of its own; see codeopt_sandbox.guest.supervisor.working_folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from codeopt_sandbox.docker_out_of_docker import own_container_id
from codeopt_sandbox.outcome import Files
from codeopt_sandbox.owner import owned_folder

INSIDE = "/base"
"""Path of the base in an isolating sandbox."""
_PAGE = 4096
_FEWEST = 4096
"""Files and folders that runs may add, at least."""
_MEMORY = Path("/dev/shm")
_SPARE = 8
"""The file system in memory is taken where it has this many times as much room as the files need."""


class BaseFolder:
    """A folder that only ever gets more files. Use as a context manager."""

    def __init__(self, files: Files = ()) -> None:
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
        return 2 * (len(self._sizes) + len(self._folders)) + _FEWEST

    def close(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)


def _place(size: int) -> Path:
    """Return the folder for a new base: memory if it has room, as a disk may take 1 ms a file.

    It is not memory in a container, whose engine finds nothing there, or if the user names a folder for temporary
    files.
    """
    named = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    if named or own_container_id(Path("/proc/self/mountinfo")) or not os.access(_MEMORY, os.W_OK):
        return Path(tempfile.gettempdir())
    there = os.statvfs(_MEMORY)
    fits = there.f_bavail * there.f_frsize > _SPARE * size and not there.f_flag & os.ST_NOEXEC
    return _MEMORY if fits else Path(tempfile.gettempdir())
