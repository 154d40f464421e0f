"""Waiting of a command, and its queries of a database: by the line of the project, apart from what it computes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

REPEATED = 10
"""Number of queries of one statement from which a line counts as repeating it."""


@dataclass(frozen=True)
class QueryLine:
    """A line of the project that has a database run statements."""

    file: str
    qualname: str
    line: int
    queries: int
    most_of_one: int
    """Number of queries of the statement that is asked most often; what only writes is left out."""
    statements: int
    """Number of different statements."""
    caller: str = ""
    """The function that has this one ask most often."""

    @property
    def repeats(self) -> bool:
        """One statement is asked for each of many rows: the N+1 pattern."""
        return self.most_of_one >= REPEATED

    @property
    def words(self) -> str:
        """`600 queries of one statement at shop/app.py:9 in order_total, most for totals`."""
        one = f" of one statement, {self.queries:,} in all," if self.statements > 1 else " of one statement"
        most = f", most for {self.caller}" if self.caller else ""
        return f"{self.most_of_one:,} queries{one} at {self.file}:{self.line} in {self.qualname}{most}"


@dataclass(frozen=True)
class WaitLine:
    """A line of the project at which the command waits."""

    file: str
    """Empty where no line of the project waits."""
    qualname: str
    line: int
    library: str
    """Library that the line called; empty for a function of C."""
    seconds: float
    share: float
    """Share of the command's wall time, 0 to 1."""
    for_others: bool
    """Threads or processes of the command itself are waited for, which may be at work."""


N_PLUS_1 = "one query for each row (the N+1 pattern): ask once for all of them"
"""Advice on a line that repeats."""


def query_lines(rows: Iterable[Any], spot: Callable[[str], Any]) -> tuple[QueryLine, ...]:
    """Add up what the processes wrote. spot: the function at a place."""
    found: dict[tuple[Any, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    callers: dict[tuple[Any, int], Counter[str]] = defaultdict(Counter)
    for place, line, queries, most, statements, caller, times in rows:
        where = spot(str(place))
        if where is not None:
            sums, by = found[where, int(line)], spot(str(caller))
            sums[0] += int(queries)
            sums[1] += int(most)
            sums[2] = max(sums[2], int(statements))
            callers[where, int(line)][by.qualname if by else ""] += int(times)
    lines = [
        QueryLine(
            where.file, where.qualname, line, sums[0], sums[1], sums[2], callers[where, line].most_common(1)[0][0]
        )
        for (where, line), sums in found.items()
    ]
    return tuple(sorted(lines, key=lambda each: (-each.queries, each.file, each.line)))


def wait_lines(rows: Iterable[Any], spot: Callable[[str], Any], wall_s: float) -> tuple[WaitLine, ...]:
    """Add up the rows of all processes. `wall_s` is the command's wall time in seconds."""
    found: dict[tuple[Any, int, str, bool], float] = defaultdict(float)
    for place, line, library, others, seconds in rows:
        found[spot(str(place)) if place else None, int(line), str(library), bool(others)] += float(seconds)
    lines = [
        WaitLine(
            where.file if where else "", where.qualname if where else "", line if where else 0, library,
            round(seconds, 4), min(1.0, seconds / wall_s) if wall_s else 0.0, others,
        )
        for (where, line, library, others), seconds in found.items()
    ]  # fmt: skip
    return tuple(sorted(lines, key=lambda each: (-each.seconds, each.file, each.line)))
