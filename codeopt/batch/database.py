"""A batch on disk: one SQLite database that survives `kill -9` at any moment.

Every write is one transaction in WAL mode: after a crash a round is there whole or not at all. Workers write at once
and by themselves, so that what is finished is on disk even when the batch's own process dies.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from codeopt.batch.backoff import Backoff
from codeopt.batch.datasets import Problem
from codeopt.batch.records import ProblemResult, Spent, Stage, TimeSpent
from codeopt.batch.rows import (
    candidate_row,
    exchange_row,
    figures,
    now,
    plain,
    problem_row,
    reply_of,
    timing_rows,
    verdict_rows,
)
from codeopt.batch.schema import ADDED, FINAL, TABLES, VERSION
from codeopt.core.budget import Ledger
from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, History
from codeopt.core.model import Message, Reply
from codeopt.core.ownership import foreign, refusal
from codeopt.core.run_store import candidate_from_json

BUSY_S = 60.0
"""Longest wait of a writer for another one, seconds; a transaction takes milliseconds."""
FILES = ("batch.sqlite", "batch.sqlite-wal", "batch.sqlite-shm", "batch.sqlite-journal", "lock", "backoff")
"""Files of a batch that decide what it does."""


def require_own_batch(folder: Path) -> None:
    """Refuse a batch that others brought, whose replies would be taken for the model's. Raises UsageError."""
    left_out = foreign([folder / name for name in FILES])
    for path, why in left_out.items():
        raise refusal(f"the batch in {folder} ({path.name})", why)


class BatchStore:
    """The database of one batch: one connection, for one process. Raises UsageError where it cannot be opened."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self.folder = folder
        path = folder / "batch.sqlite"
        if not create and not path.is_file():
            raise UsageError(f"there is no batch in {folder}: no batch.sqlite")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
            self.db.row_factory = sqlite3.Row
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")
            if create:
                self.db.executescript(TABLES)
                self.db.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", [VERSION])
            self._require_version(path)
            self._add_columns()
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"cannot open the batch in {folder}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self.db.close()

    def _require_version(self, path: Path) -> None:
        found = self.meta("schema")
        if found != VERSION:
            raise UsageError(f"{path} is {found or 'no batch'}; this version of codeopt reads {VERSION}")

    def _add_columns(self) -> None:
        for table, name, kind in ADDED:
            known = {row["name"] for row in self.db.execute(f"PRAGMA table_info({table})")}
            if name not in known:
                self.db.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")

    @property
    def backoff(self) -> Backoff:
        """Pause that all workers share when the model's server refuses."""
        return Backoff(self.folder / "backoff")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self.db.in_transaction:  # Ctrl-C struck just as one began
            self.db.execute("ROLLBACK")
        try:
            self.db.execute("BEGIN IMMEDIATE")
            yield self.db
            self.db.execute("COMMIT")
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise

    # --- the whole batch ---

    def meta(self, key: str) -> str:
        """Read a fact about the batch; empty: there is none of that name."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, key: str, value: str) -> None:
        """Keep a fact about the batch."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])

    def require_same(self, settings: Mapping[str, Any]) -> None:
        """Keep the settings of a new batch. Raises UsageError where those of an old batch differ."""
        text = json.dumps(settings, sort_keys=True)
        before = json.loads(self.meta("settings") or text)
        changed = [name for name in settings if before.get(name) != settings[name]]
        if changed:
            what = ", ".join(f"{name} was {before.get(name)!r} and is {settings[name]!r}" for name in changed)
            raise UsageError(
                f"the batch in {self.folder} was begun with other settings ({what}); name another --run-dir"
            )
        self.set_meta("settings", text)

    def register(self, problems: Iterable[Problem]) -> int:
        """Give every problem a row that has none yet; returns their number. Raises UsageError for a changed problem."""
        count = 0
        with self._transaction() as db:
            for position, problem in enumerate(problems):
                count += 1
                row = db.execute("SELECT source FROM problem WHERE id = ?", [problem.id]).fetchone()
                if row is None:
                    self._insert(position, problem)
                elif row["source"] != plain(problem.source):
                    raise UsageError(
                        f"the program of {problem.id} has changed since the batch in {self.folder} was begun"
                    )
        return count

    def _insert(self, position: int, problem: Problem) -> None:
        row = problem_row(position, problem)
        columns, values = ", ".join(row), ", ".join(f":{name}" for name in row)
        self.db.execute(f"INSERT INTO problem ({columns}) VALUES ({values})", row)

    def left(self, limit: int | None = None) -> list[str]:
        """Ids of the first `limit` problems that have not ended: those begun first, then in the order of the set."""
        rows = self.db.execute(
            "SELECT id FROM problem WHERE status IN ('pending', 'running', 'paused') AND position < ?"
            " ORDER BY status = 'pending', position",
            [limit if limit is not None else 2**62],
        )
        return [row["id"] for row in rows]

    def reopen_failed(self) -> None:
        """Mark problems as pending again that failed for no reason of their own, or for want of time."""
        self.db.execute(
            "UPDATE problem SET status = 'pending', fault = '', reason = '', accepted = NULL WHERE status = 'failed'"
            " OR (status = 'dropped' AND fault = 'busy')"
        )

    def counts(self) -> dict[str, int]:
        """Number of problems by status."""
        return {row[0]: row[1] for row in self.db.execute("SELECT status, count(*) FROM problem GROUP BY status")}

    def spent(self) -> Spent:
        """Cost of all replies so far."""
        row = self.db.execute(
            "SELECT count(*), coalesce(sum(tokens_in + tokens_out), 0), sum(cost_usd), count(cost_usd) FROM exchange"
        ).fetchone()
        known = row[0] == row[3]
        return Spent(row[0], row[1], (row[2] or 0.0) if known else None)

    def note(self, problem: str, text: str) -> None:
        """Keep a line about something that went wrong on the way."""
        self.db.execute("INSERT INTO event VALUES (?, ?, ?)", [now(), problem, plain(text)])

    def add_seconds(self, seconds: float) -> None:
        """Add to the time that the batch has been at work over all sittings, seconds of the clock."""
        with self._transaction():
            self.set_meta("seconds", repr(float(self.meta("seconds") or 0) + seconds))

    # --- one problem ---

    def problem(self, id: str) -> Problem:
        """Read a problem as the set gave it."""
        row = self.db.execute("SELECT * FROM problem WHERE id = ?", [id]).fetchone()
        cases = Path(row["cases"]) if row["cases"] is not None else None
        calls = Path(row["calls"]) if row["calls"] is not None else None
        return Problem(
            row["id"], row["source"], Path(row["path"]), cases, row["function"], calls, row["checker"], row["target"]
        )

    def begin(self, id: str) -> None:
        """Note that a worker takes the problem up."""
        self.db.execute("UPDATE problem SET status = 'running', attempts = attempts + 1 WHERE id = ?", [id])

    def attempts(self, id: str) -> int:
        """Number of times that a worker took the problem up."""
        return int(self.db.execute("SELECT attempts FROM problem WHERE id = ?", [id]).fetchone()[0])

    def load(self, id: str) -> tuple[History, Ledger, dict[str, bool]] | None:
        """Read a problem's state: its history, what was spent, which cases are held out; None: it has not begun."""
        row = self.db.execute("SELECT ledger, suite FROM problem WHERE id = ?", [id]).fetchone()
        bodies = self.db.execute(
            "SELECT body FROM candidate WHERE problem = ? AND stage = 'round' ORDER BY round", [id]
        ).fetchall()
        if row["ledger"] is None or not bodies:
            return None
        history = History(tuple(candidate_from_json(body[0]) for body in bodies))
        return history, Ledger.from_json(json.loads(row["ledger"])), json.loads(row["suite"] or "{}")

    def save(self, id: str, history: History, ledger: Ledger, suite: Mapping[str, bool], time_spent: TimeSpent) -> None:
        """Save a problem's state after a round, in one step: the newest candidates, and the critique of the one before.

        time_spent: the time since the problem was saved last; it is added to what is there.
        """
        with self._transaction() as db:
            known = db.execute("SELECT count(*) FROM candidate WHERE problem = ? AND stage = 'round'", [id]).fetchone()[
                0
            ]
            for candidate in history.candidates[0 if history.forked else max(0, known - 1) :]:
                self._put(id, "round", candidate)
            db.execute(
                "UPDATE problem SET ledger = ?, suite = ? WHERE id = ?",
                [json.dumps(ledger.to_json()), json.dumps(dict(suite)), id],
            )
            self._add_time_spent(id, time_spent)

    def keep(self, id: str, stage: Stage, candidate: Candidate) -> None:
        """Keep a measurement outside the rounds: a confirmation, a refused draft, or the human's program."""
        with self._transaction():
            self._put(id, stage, candidate)

    def end(self, id: str, ending: ProblemResult, time_spent: TimeSpent) -> None:
        """Keep how a problem ended, or that it is paused."""
        found = ending.best.comparison if ending.best else None
        accepted = None if ending.status == "paused" else int(ending.best is not None)
        with self._transaction() as db:
            db.execute(
                "UPDATE problem SET status = ?, reason = ?, stopped = ?, fault = ?, accepted = ?, best_round = ?,"
                " ratio = ?, ci_low = ?, ci_high = ?, finished = ? WHERE id = ?",
                [
                    ending.status, plain(ending.reason), plain(ending.stopped), ending.fault, accepted,
                    ending.best.round if ending.best else None, *figures(found)[1:4],
                    now() if ending.status in FINAL else None, id,
                ],
            )  # fmt: skip
            self._add_time_spent(id, time_spent)

    def _add_time_spent(self, id: str, time_spent: TimeSpent) -> None:
        names = list(asdict(time_spent))
        change = ", ".join(f"{name} = {name} + ?" for name in names)
        self.db.execute(f"UPDATE problem SET {change} WHERE id = ?", [*asdict(time_spent).values(), id])

    def _put(self, id: str, stage: Stage, candidate: Candidate) -> None:
        self._replace("candidate", [candidate_row(id, stage, candidate)])
        self._replace("verdict", verdict_rows(id, stage, candidate))
        self._replace("timing", timing_rows(id, stage, candidate))

    def _replace(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        for row in rows:
            self.db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    # --- what the model said ---

    def exchanges(self, id: str, first: int) -> list[Reply]:
        """Replies of a problem from number `first` on, which were paid for but not used when the batch was killed."""
        rows = self.db.execute("SELECT * FROM exchange WHERE problem = ? AND number >= ? ORDER BY number", [id, first])
        return [reply_of(row) for row in rows]

    def add_exchange(self, id: str, number: int, messages: Sequence[Message], reply: Reply) -> None:
        """Keep a reply before it is used."""
        self._replace("exchange", [exchange_row(id, number, messages, reply)])
