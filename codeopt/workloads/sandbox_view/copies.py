"""A folder with the files of a project that a run is shown. That of a large project is kept for the next command.

A kept copy is made the same as a new one before it is used: files that changed are copied again, and whatever else lies
there is removed, as a run without isolation may have written it. A file counts as the same by what git goes by, too:
inode, size, and both of its times, and by the time at which its copy was last changed.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from codeopt.core.errors import UsageError
from codeopt_sandbox.owner import named_folder, owned_folder
from codeopt_sandbox.plain_files import read_bytes

KEPT_FROM = 500
"""Number of files from which on a copy is kept: below it, to copy and to remove them takes 0.2 CPU seconds."""
MOST_KEPT = 4
"""Maximum number of kept copies of a project: one for each of as many commands and jobs at once."""
RACY_NS = 1_000_000_000
"""A file that changed this shortly before it was copied may change again without another time (git's "racy" files)."""


class Signature(NamedTuple):
    """What a file is known again by."""

    inode: int
    size: int
    written_ns: int
    changed_ns: int
    """Time of the last change of content, name or rights; unlike the other, no program can set it."""


@dataclass(frozen=True)
class Copy:
    """A copy in use."""

    folder: Path
    release: Callable[[], None]
    """Ends its use: a kept one may be taken by another command, another one is removed."""


def signature(path: str | Path) -> Signature | None:
    """Signature of a plain file; None for a link and what else is no plain file."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Signature(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def open_copy(root: Path, files: Mapping[str, str], signatures: Mapping[str, Signature]) -> Copy:
    """Copy files of a project. files: where each lies by its place in the copy, both relative. Raises OSError."""
    if len(files) >= KEPT_FROM:
        for place in _places(root):
            with suppress(OSError):  # no room, or no right to write there: a new copy may find both
                lock = _lock(place)
                if lock is not None:
                    try:
                        _refresh(place, root, files, signatures)
                    except BaseException:
                        _release(place, lock)
                        raise
                    return Copy(place / "files", partial(_release, place, lock))
    folder = owned_folder("view")
    folder.chmod(0o755)  # a run has a user of its own
    for name, path in files.items():
        copy_file(root / path, folder / name)
    return Copy(folder, partial(shutil.rmtree, folder, ignore_errors=True))


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, and make it and its folders readable for the user of a run. Raises OSError."""
    missing = []
    for folder in target.parents:
        if folder.is_dir():
            break
        missing.append(folder)
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def remove_kept(root: Path) -> Iterator[tuple[Path, int, int]]:
    """Remove the kept copies of a project. Yields folder, number of files and bytes of each.

    Raises:
        UsageError: Another command uses one.
    """
    for place in _places(root):
        lock = _lock(place) if place.is_dir() else None
        if lock is None and place.is_dir() and place.lstat().st_uid == os.geteuid():
            raise UsageError(f"cannot remove {place}: another command uses it", hint="try again when that has ended")
        if lock is not None:
            rows = _index(place).values()
            shutil.rmtree(place, ignore_errors=True)
            os.close(lock)
            yield place, len(rows), sum(size for _, size, *_ in rows)


def _places(root: Path) -> Iterator[Path]:
    # What lies in the folder for temporary files may be kept in memory; this one is on a disk. A container's engine
    # finds only the folder that the user names.
    above = named_folder() or Path("/var/tmp")
    name = f"codeopt-copy-{os.geteuid()}-{sha256(os.fsencode(root)).hexdigest()[:16]}"
    return (above / f"{name}-{number}" for number in range(MOST_KEPT))


def _lock(place: Path) -> int | None:
    """Take a place for this process. None if another command has it, or if another user made it. Raises OSError."""
    place.mkdir(mode=0o700, exist_ok=True)
    found = os.lstat(place)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return None
    lock = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    place.chmod(0o755)  # a run has a user of its own
    return lock


def _release(place: Path, lock: int) -> None:
    place.chmod(0o700)  # other users of the machine may not read the project between commands
    os.close(lock)


def _index(place: Path) -> dict[str, list[int]]:
    """Signature of each file when it was copied, and the time at which its copy was made, nanoseconds."""
    try:
        found = json.loads(read_bytes(place / "index"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _refresh(place: Path, root: Path, files: Mapping[str, str], signatures: Mapping[str, Signature]) -> None:
    """Make a kept copy the same as a new one. Raises OSError."""
    index, folder = _index(place), place / "files"
    same: set[str] = set()
    if folder.is_dir():
        _keep(f"{folder}/", "", {name: (index.get(name), signatures[name]) for name in files}, same)
    now = time.time_ns()
    kept = {name: index[name] for name in same}
    for name in files.keys() - same:
        copy_file(root / files[name], folder / name)
        if now - signatures[name].changed_ns > RACY_NS:
            kept[name] = [*signatures[name], os.lstat(folder / name).st_ctime_ns]
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    if kept != index:
        written = place / "index.new"
        written.write_text(json.dumps(kept))
        written.replace(place / "index")


def _keep(top: str, below: str, known: Mapping[str, tuple[list[int] | None, Signature]], same: set[str]) -> bool:
    """Remove everything below a folder but copies that are still the same, which are added to a set. Returns whether
    there is any."""
    found = False
    with os.scandir(top + below) as entries:
        for entry in entries:
            name = below + entry.name
            if entry.is_dir(follow_symlinks=False):
                if _keep(top, f"{name}/", known, same):
                    found = True
                else:
                    Path(entry.path).rmdir()
                continue
            row, now = known.get(name, (None, ()))
            if row is not None and row == [*now, entry.stat(follow_symlinks=False).st_ctime_ns]:
                same.add(name)
                found = True
            else:
                Path(entry.path).unlink()
    return found
