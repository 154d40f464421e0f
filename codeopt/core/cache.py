"""Cache of facts known from earlier commands: JSON values by key, in one SQLite file of each project.

The file lies in the user's cache folder, where nothing comes with a checkout. The cache does not interpret the values.
A damaged file is rebuilt. A busy, full or read-only file counts as empty.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_cache_dir

from codeopt.core.interpreter import Interpreter
from codeopt.core.ownership import package_folders
from codeopt.core.version import __version__

Found = TypeVar("Found")

FILE = "cache.sqlite"
FORMAT = 1
"""Version of the table. A file of another version is rebuilt."""
MAX_BYTES = 256 << 20
"""Maximum size of all values as they are stored, bytes. The least recently used ones are removed."""
BUSY_S = 3.0
"""Longest wait for another process that writes, seconds."""

_TABLE = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS entry (
    kind TEXT, key TEXT, value BLOB, made_at REAL, used INTEGER, PRIMARY KEY (kind, key)
);
PRAGMA user_version = {FORMAT};
COMMIT;
"""
_EVICT = """
DELETE FROM entry WHERE rowid IN (
    SELECT rowid FROM (SELECT rowid, sum(length(value)) OVER (ORDER BY used DESC) AS total FROM entry) WHERE total > ?
)
"""


class CacheKind(StrEnum):
    CORPUS = "corpus"
    """Calls of a function with what the original answers."""
    TIMING = "timing"
    """Choice of the calls of a function that are timed."""
    TRACE = "trace"
    """Runs of a project's tests: the functions that they call, with what, and how long."""
    SUITE = "suite"
    """Tests that a project passes, and drafts of it that passed them."""
    FINDING = "finding"
    """Verdicts, with what was asked and by what each is known again."""
    TRIED = "tried"
    """Drafts of earlier improvements, in words."""


@dataclass(frozen=True)
class CachedValue:
    """A value that was found."""

    value: Any
    """The value, as JSON reads it."""
    made_at: float
    """Time at which it was stored, seconds since the epoch."""


@dataclass(frozen=True)
class Cache:
    """The cache in one folder. Each request opens and closes its file, so any process and thread may use it at once."""

    folder: Path
    notify: Callable[[str], None] = lambda line: None
    """Called with one line about a file that is rebuilt."""
    max_bytes: int = MAX_BYTES

    @property
    def file(self) -> Path:
        """The file. It is missing until the first value is asked for or stored."""
        return self.folder / FILE

    def get(self, kind: CacheKind, key: str) -> CachedValue | None:
        """Return the value of a key. None if it is missing."""

        def read(file: sqlite3.Connection) -> CachedValue | None:
            row = file.execute("SELECT value, made_at FROM entry WHERE kind = ? AND key = ?", (kind, key)).fetchone()
            if row:
                file.execute("UPDATE entry SET used = ? WHERE kind = ? AND key = ?", (time.time_ns(), kind, key))
            return _unpacked(*row) if row else None

        return self._do(read)

    def values(self, kind: CacheKind) -> list[CachedValue]:
        """Return all values of a kind, oldest first."""

        def read(file: sqlite3.Connection) -> list[CachedValue]:
            rows = file.execute("SELECT value, made_at FROM entry WHERE kind = ? ORDER BY made_at", (kind,))
            return [found for row in rows if (found := _unpacked(*row))]

        return self._do(read) or []

    def put(self, kind: CacheKind, key: str, value: Any) -> None:
        """Store a value, in place of an earlier one of the key. What is too large is left out."""
        packed = zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 1)
        if len(packed) > self.max_bytes:
            return

        def write(file: sqlite3.Connection) -> None:
            row = (kind, key, packed, time.time(), time.time_ns())
            file.execute("BEGIN IMMEDIATE")
            file.execute("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?)", row)
            file.execute(_EVICT, (self.max_bytes,))
            file.execute("COMMIT")

        self._do(write)

    def forget(self, kind: CacheKind, key: str) -> None:
        """Remove the value of a key, if there is one."""
        self._do(lambda file: file.execute("DELETE FROM entry WHERE kind = ? AND key = ?", (kind, key)))

    def clear(self) -> tuple[int, int]:
        """Remove the file, and its folder. Returns the number of values, and the bytes of the file. Raises OSError."""
        size = self.file.stat().st_size
        values = self._do(lambda file: file.execute("SELECT count(*) FROM entry").fetchone()[0])
        self._unlink()
        with suppress(OSError):  # CI may keep more there
            self.folder.rmdir()
        return values or 0, size

    def _do(self, action: Callable[[sqlite3.Connection], Found]) -> Found | None:
        """Run an action on the file, rebuilding a damaged one once. None if the file cannot be used."""
        with suppress(OSError):
            for _ in range(2):
                try:
                    with self._open() as file:
                        return action(file)
                except sqlite3.OperationalError:  # busy, full, read-only: the next request may have more luck
                    break
                except sqlite3.DatabaseError:
                    self._unlink()
                    self.notify(f"{self.file} is damaged: rebuilt")
        return None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """An open connection, with its table. Raises OSError, sqlite3.Error."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = sqlite3.connect(self.file, timeout=BUSY_S, isolation_level=None)
        try:
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "synchronous = OFF"):
                file.execute(f"PRAGMA {pragma}")
            version = file.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                file.executescript(_TABLE)
            elif version != FORMAT:
                raise sqlite3.DatabaseError("it is of another version")
            yield file
        finally:
            file.close()

    def _unlink(self) -> None:
        """Remove the file. Its journal goes first: SQLite would apply a later one to the next file."""
        for name in (f"{FILE}-journal", FILE):
            (self.folder / name).unlink(missing_ok=True)


def open_cache(
    project: Path, notify: Callable[[str], None] = lambda line: None, folder: Path | None = None
) -> Cache | None:
    """Return the cache of a project's folder. None if the user has no cache folder of their own.

    folder: the folder that --trust-store names, for all projects.
    """
    if folder:
        return Cache(folder, notify)
    base, place = Path(user_cache_dir("codeopt")), project.resolve()
    folder = base / "projects" / f"{place.name[:40]}-{sha256(os.fsencode(place)).hexdigest()[:16]}"
    try:
        own = base.is_absolute() and (not folder.exists() or folder.stat().st_uid == os.geteuid())
    except OSError:  # the way there is closed to this user
        own = False
    return Cache(folder, notify) if own else None


def existing_caches(projects: Iterable[Path]) -> list[Cache]:
    found = filter(None, map(open_cache, projects))
    return [cache for cache in found if cache.file.exists()]


def _unpacked(packed: bytes, made_at: float) -> CachedValue | None:
    try:
        return CachedValue(json.loads(zlib.decompress(packed)), made_at)
    except (zlib.error, ValueError):
        return None


# Digest of everything outside of a project on which its evidence depends: interpreter, packages, codeopt, machine.

RECORDS = (".dist-info", ".egg-info")
"""Endings of folders that say which version of a package is installed."""


def environment_digest(python: Interpreter) -> str:
    """Digest of the interpreter, the versions of its packages, codeopt's own code and the machine. Raises OSError."""
    binary = Path(python.path).resolve().stat()
    parts = [
        ("python", python.path, python.version, binary.st_size, binary.st_mtime_ns),
        ("codeopt", __version__, _own_code()),
        ("machine", sorted(vars(machine()).items())),
        *(("packages", str(folder), list(_installed(folder))) for folder in package_folders(python.libraries)),
    ]
    return digest_of(parts)


def digest_of(parts: Any) -> str:
    """SHA-256 of what JSON can hold, in hexadecimal."""
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _installed(folder: Path) -> Iterator[Sequence[object]]:
    """Entries of a folder of packages, with those files that name the versions."""
    for entry in sorted(os.scandir(folder), key=lambda each: each.name):
        if entry.name.startswith("__pycache__"):
            continue
        yield _signature(entry)
        if entry.name.endswith(RECORDS) and entry.is_dir():
            yield from map(_signature, sorted(os.scandir(entry.path), key=lambda each: each.name))


def _signature(entry: os.DirEntry[str]) -> Sequence[object]:
    status = entry.stat(follow_symlinks=False)
    changed = 0 if entry.is_dir(follow_symlinks=False) else status.st_mtime_ns
    return entry.name, status.st_size if changed else 0, changed


@cache
def _own_code() -> str:
    """Return a digest of the sizes and times of codeopt's files. In a checkout its version does not show a change."""
    found = [spec for name in ("codeopt", "codeopt_sandbox") if (spec := find_spec(name)) is not None]
    folders = [Path(place) for spec in found for place in spec.submodule_search_locations or ()]
    return digest_of([list(_sources(folder)) for folder in folders])


def _sources(folder: Path) -> Iterable[Sequence[object]]:
    for path in sorted(folder.rglob("*.py")):
        status = path.stat()
        yield str(path.relative_to(folder)), status.st_size, status.st_mtime_ns


# The machine of a measurement, named next to every figure: a ratio may differ on another machine.


@dataclass(frozen=True)
class Machine:
    """The machine that was measured on; a ratio from one is no promise for another."""

    cpu: str
    cores: int
    system: str
    """Kernel."""
    python: str


def machine() -> Machine:
    """This one."""
    return Machine(
        cpu=_model() or platform.processor() or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        system=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
    )


def _model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
