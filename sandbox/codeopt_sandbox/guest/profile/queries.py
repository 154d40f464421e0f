"""Statements that a command sends to its database, by the project line that asks.

A line that repeats the same statement could ask once.
"""

from __future__ import annotations

import json
import linecache

from .process_end import hands_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

DRIVERS = frozenset(
    """
    MySQLdb aiomysql aiosqlite apsw asyncpg asyncmy cx_Oracle duckdb mysql oracledb pg8000 psycopg psycopg2 pymssql
    pymysql pyodbc sqlite3 _sqlite3 snowflake
    """.split()  # noqa: SIM905
)
"""Packages that speak to a database, as the interface of Python's databases (PEP 249) has them do."""
EXECUTE = frozenset({"execute", "executemany"})
"""Methods that run a statement."""
NAMES = ("statement", "query", "sql", "operation")
"""Variables that hold the text of a statement, in libraries on top of a driver."""
ABOVE = 4
"""Number of frames around the call of a driver in which the text is looked for."""
MAX_TEXTS = 200
"""Maximum number of different texts that are counted separately for one line."""
OTHER = "other"
WRITES = (
    "insert", "update", "delete", "replace", "merge", "create", "drop", "alter", "begin", "commit", "pragma", "set",
)  # fmt: skip
"""First words of statements that ask nothing."""


class Queries:
    """Number of statements of each line, by its text."""

    def __init__(self, place: Callable[[CodeType], str], sink: Callable[[str], None]) -> None:
        self.place, self.sink = place, sink
        self.kinds: dict[type, bool] = {}
        """True for a type that is a driver's, or derives from one."""
        self.begin()

    def begin(self) -> None:
        """Start from scratch, also in a forked process."""
        self.counts: dict[tuple[str, int], dict[str, int]] = {}
        self.callers: dict[tuple[str, int], dict[str, int]] = {}

    def hear(self, frame: FrameType, event: str, called: Any) -> None:
        """A profile function, as most drivers are written in C."""
        if event == "c_call":
            if called.__name__ in EXECUTE and self._is_driver(type(getattr(called, "__self__", None))):
                self._add(frame)
        elif event == "call":
            if frame.f_code.co_name in EXECUTE and self._is_name(str(frame.f_globals.get("__name__", ""))):
                outer = frame.f_back
                if outer is None or not self._is_name(str(outer.f_globals.get("__name__", ""))):
                    self._add(frame)
            elif hands_over(frame.f_code):
                self.write()

    def write(self) -> None:
        """One line for each line that asks, for what was asked since the last time, with who calls it most."""
        counts, callers = self.counts, self.callers
        self.begin()
        for (place, line), texts in counts.items():
            asked = max((count for text, count in texts.items() if not text.lower().startswith(WRITES)), default=0)
            caller, most = max(callers[place, line].items(), key=lambda row: row[1])
            row = [place, line, sum(texts.values()), asked, len(texts), caller, most]
            self.sink("@ query " + json.dumps(row))

    def _is_driver(self, kind: type) -> bool:
        found = self.kinds.get(kind)
        if found is None:
            found = self.kinds[kind] = any(self._is_name(str(each.__module__)) for each in kind.__mro__)
        return found

    @staticmethod
    def _is_name(module: str) -> bool:
        return module.partition(".")[0] in DRIVERS

    def _add(self, frame: FrameType) -> None:
        asks: FrameType | None = frame
        while asks is not None and self.place(asks.f_code)[:1] != "/":
            asks = asks.f_back
        if asks is not None:
            line = (self.place(asks.f_code), asks.f_lineno)
            callers = self.callers.setdefault(line, {})
            caller = self.place(asks.f_back.f_code) if asks.f_back else ""
            callers[caller] = callers.get(caller, 0) + 1
            texts = self.counts.setdefault(line, {})
            text = text_at(frame)
            known = text in texts or len(texts) < MAX_TEXTS
            key = text if known else OTHER
            texts[key] = texts.get(key, 0) + 1


def text_at(frame: FrameType) -> str:
    """Text of the statement that is about to be run, as far as a variable around it or its line has that."""
    at: FrameType | None = frame
    for _ in range(ABOVE):
        if at is None:
            break
        names = at.f_code.co_varnames
        for name in NAMES:
            if name in names:
                value = at.f_locals.get(name)
                if type(value) is str:
                    return value.lstrip()[:1000]
        at = at.f_back
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    begins = min((found for found in map(line.find, "\"'") if found >= 0), default=-1)
    written = line[begins:].lstrip("\"' \t\n") if begins >= 0 else ""
    return written or f"{frame.f_code.co_filename}:{frame.f_lineno}"
