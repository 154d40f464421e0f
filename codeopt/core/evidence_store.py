"""Store of what is known from earlier requests: JSON values by key in the named tables of one SQLite file.

It knows nothing of what the values mean. Whoever can write the file can forge none of them: each carries a code that
needs the user's own secret, which is kept elsewhere. Values of others count only where the caller trusts the file. A
file that is damaged is made anew; one that is busy, full or read-only is as good as empty.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

Found = TypeVar("Found")

SCHEMA = 3
"""Version of the tables; a file of another version is made anew."""
MAX_VALUE_BYTES = 64 << 20
"""Maximum size of one value as JSON, bytes; a larger one is not kept."""
MAX_STORE_BYTES = 256 << 20
"""Maximum size of all values as they are stored, bytes; the least recently used ones go."""
BUSY_S = 3.0
"""Longest wait for another process that writes, seconds."""
SUFFIXES = ("", "-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps."""


class EvidenceTable(StrEnum):
    """Tables by name."""

    CORPUS = "corpus"
    """Calls of a function with what the original answers."""
    TIMING = "timing"
    """Choice of the calls of a function that are timed."""
    TRACE = "trace"
    """Runs of a project's tests: the functions that they call, with what, and how long."""
    FINDING = "finding"
    """Verdicts, with what was asked and by what each is known again."""


_COLUMNS = "key TEXT PRIMARY KEY, value BLOB NOT NULL, code BLOB NOT NULL, made_at REAL NOT NULL, used INTEGER NOT NULL"
_TABLES = tuple(f"CREATE TABLE {table} ({_COLUMNS})" for table in EvidenceTable)


@dataclass(frozen=True)
class StoredValue:
    """A value that was found."""

    value: Any
    """The value, as JSON reads it."""
    made_at: float
    """Time at which it was stored, seconds since the epoch."""
    own: bool = True
    """Stored by this user on this machine; otherwise anybody may have written it."""


@dataclass(frozen=True)
class StoreSize:
    """Size of a store."""

    values: int
    """Number of values."""
    size: int
    """Size of its files, bytes."""


class _Damaged(Exception):
    """The file is no store of this version, or cannot be read."""


@dataclass(frozen=True)
class EvidenceStore:
    """The store in one file. Each request opens and closes it, so any process and thread may use it at once."""

    path: Path
    secret: bytes = field(repr=False)
    """Secret of the user's, from which each value's code is made."""
    notify: Callable[[str], None] = lambda line: None
    """Told in one line of a file that is made anew."""
    max_bytes: int = MAX_STORE_BYTES

    def get(self, table: EvidenceTable, key: str, *, trusted: bool = False) -> StoredValue | None:
        """The value of a key; None where there is none that is the user's own.

        trusted: one that anybody wrote counts as well, and is left where it does not.
        """

        def read(store: sqlite3.Connection) -> StoredValue | None:
            row = store.execute(f"SELECT value, code, made_at FROM {table} WHERE key = ?", (key,)).fetchone()
            found = self._stored(table, key, row) if row else None
            if row and found is None and table is not EvidenceTable.FINDING:
                store.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
            if found is None or not (found.own or trusted):
                return None
            store.execute(f"UPDATE {table} SET used = ? WHERE key = ?", (time.time_ns(), key))
            return found

        return self._do(read)

    def values(self, table: EvidenceTable) -> list[StoredValue]:
        """All values of a table, whoever wrote them, the oldest first."""

        def read(store: sqlite3.Connection) -> list[StoredValue]:
            rows = store.execute(f"SELECT key, value, code, made_at FROM {table} ORDER BY made_at").fetchall()
            return [found for key, *row in rows if (found := self._stored(table, key, tuple(row)))]

        return self._do(read) or []

    def put(self, table: EvidenceTable, key: str, value: Any) -> None:
        """Store a value, in place of an earlier one of the key. What is too large is left out."""
        text = json.dumps(value, separators=(",", ":")).encode()
        packed = zlib.compress(text, 1)
        if len(text) > MAX_VALUE_BYTES or len(packed) > self.max_bytes:
            return
        now = time.time()
        row = (key, packed, self._code(table, key, packed, now), now, time.time_ns())

        def write(store: sqlite3.Connection) -> None:
            store.execute("BEGIN IMMEDIATE")
            store.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?)", row)
            _evict(store, self.max_bytes)
            store.execute("COMMIT")

        self._do(write)

    def forget(self, table: EvidenceTable, key: str) -> None:
        """Remove the value of a key, if there is one."""
        self._do(lambda store: store.execute(f"DELETE FROM {table} WHERE key = ?", (key,)))

    def clear(self) -> StoreSize:
        """Remove the files; how much was in them. Raises OSError."""
        size = sum(each.stat().st_size for each in self._files() if each.exists())
        values = 0
        with suppress(_Damaged, sqlite3.Error), self._open() as store:
            values = sum(store.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in EvidenceTable)
        with self._alone():
            self._unlink()
        return StoreSize(values, size)

    def _do(self, action: Callable[[sqlite3.Connection], Found]) -> Found | None:
        """Act on the store; where it is damaged make it anew, once. None where it cannot be used."""
        for _ in range(2):
            try:
                with self._open() as store:
                    return action(store)
            except sqlite3.OperationalError:  # busy, full, read-only: the next request may have more luck
                return None
            except (_Damaged, sqlite3.DatabaseError) as error:
                if not self._made_anew(str(error)):
                    return None
        return None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """An open connection, with its tables. Raises _Damaged, sqlite3.Error."""
        store = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
        try:
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "synchronous = NORMAL"):
                store.execute(f"PRAGMA {pragma}")
            _prepare(store)
            yield store
        finally:
            store.close()

    def _made_anew(self, why: str) -> bool:
        """Remove a damaged file, unless another process has just done so; False where that fails."""
        try:
            with self._alone():
                try:
                    with self._open():
                        pass
                    if "malformed" not in why:
                        return True
                except sqlite3.OperationalError:
                    return False
                except (_Damaged, sqlite3.DatabaseError):
                    pass
                self._unlink()
        except OSError:
            return False
        self.notify(f"{self.path} could not be read ({why}); it is made anew")
        return True

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process removes the files meanwhile. Raises OSError."""
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _files(self) -> list[Path]:
        return [self.path.with_name(self.path.name + suffix) for suffix in SUFFIXES]

    def _unlink(self) -> None:
        for each in self._files():
            each.unlink(missing_ok=True)

    def _stored(self, table: EvidenceTable, key: str, row: tuple[Any, ...]) -> StoredValue | None:
        """The value of a row; None for what is none. Of a table other than that of findings it is the user's own."""
        packed, code, made_at = row
        if not (isinstance(packed, bytes) and isinstance(code, bytes) and isinstance(made_at, float)):
            return None
        own = hmac.compare_digest(code, self._code(table, key, packed, made_at))
        value = _unpacked(packed) if own or table is EvidenceTable.FINDING else None
        return StoredValue(value[0], made_at, own) if value else None

    def _code(self, table: EvidenceTable, key: str, packed: bytes, made_at: float) -> bytes:
        head = json.dumps([SCHEMA, table, key, made_at]).encode()
        return hmac.digest(self.secret, hashlib.sha256(head).digest() + packed, "sha256")


def _prepare(store: sqlite3.Connection) -> None:
    """Make the tables of a new file. Raises _Damaged for a file with others: who wrote it may have put anything
    there."""
    found = _schema(store)
    if not found and store.execute("PRAGMA user_version").fetchone()[0] == 0:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("BEGIN IMMEDIATE")
        if not _schema(store):  # another process may have been quicker
            for table in _TABLES:
                store.execute(table)
            store.execute(f"PRAGMA user_version = {SCHEMA}")
        store.execute("COMMIT")
        found = _schema(store)
    if found != {*_TABLES} or store.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
        raise _Damaged("it is of another version")


def _schema(store: sqlite3.Connection) -> set[str]:
    return {str(row[0]) for row in store.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}


def _evict(store: sqlite3.Connection, most: int) -> None:
    """Remove the least recently used values until the rest has at most so many bytes."""
    rows = [
        (used, str(table), key, size)
        for table in EvidenceTable
        for used, key, size in store.execute(f"SELECT used, key, length(value) FROM {table}")
    ]
    total = sum(row[3] for row in rows)
    for _, table, key, size in sorted(rows):
        if total <= most:
            break
        store.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
        total -= size


def _unpacked(packed: bytes) -> tuple[Any] | None:
    """The value, in a tuple; None for what is none or too large."""
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(packed, MAX_VALUE_BYTES)
        return None if reader.unconsumed_tail else (json.loads(text),)
    except (zlib.error, ValueError, RecursionError):
        return None
