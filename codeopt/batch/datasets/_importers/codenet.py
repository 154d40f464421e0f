"""Project CodeNet: for each problem, one user's slowest and fastest accepted Python submission by the judge's times."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from codeopt.batch.datasets._importers import ImportRequest, ProgramPair, cases_in
from codeopt.core.errors import UsageError
from codeopt_sandbox.outcome import Case
from codeopt_sandbox.plain_files import read_bytes, read_text

MIN_RATIO = 1.1
"""Smallest ratio of the judge's times at which two programs are a pair."""


def read(request: ImportRequest) -> Iterator[ProgramPair]:
    """Read the pair with the largest ratio of each problem. Raises UsageError."""
    tables = sorted((request.path / "metadata").glob("p*.csv"))
    if not tables:
        raise UsageError(f"{request.path} is no Project_CodeNet folder: it has no metadata/pXXXXX.csv")
    for table in tables:
        pair = _pair(request, table)
        if pair is not None:
            yield pair


def _pair(request: ImportRequest, table: Path) -> ProgramPair | None:
    id = table.stem
    best = max(_lifts(table), default=None)
    if best is None or best[0] < MIN_RATIO:
        return None
    programs = [request.path / "data" / id / "Python" / f"{name}.py" for name in best[1:]]
    slow, fast = (read_text(path, "replace") if path.is_file() else "" for path in programs)
    homes = [request.cases] if request.cases else [request.path / "derived" / "input_output" / "data"]
    return ProgramPair(id, slow, fast or None, cases_in([home / id for home in homes]) or _single(homes[0] / id))


def _lifts(table: Path) -> Iterator[tuple[float, str, str]]:
    """(ratio of times, slow submission, fast submission) of each user."""
    times: dict[str, list[tuple[float, str]]] = {}
    with table.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            if (
                row.get("status") == "Accepted"
                and row.get("language") == "Python"
                and (row.get("cpu_time") or "").isdigit()
            ):
                times.setdefault(row["user_id"], []).append((float(row["cpu_time"]), row["submission_id"]))
    for found in times.values():
        (fast_ms, fast), (slow_ms, slow) = min(found), max(found)
        yield slow_ms / max(fast_ms, 1.0), slow, fast


def _single(folder: Path) -> tuple[Case, ...]:
    """Read CodeNet's own sample, input.txt and output.txt, as a case."""
    given, expected = folder / "input.txt", folder / "output.txt"
    if not given.is_file():
        return ()
    return (Case("0", read_bytes(given), read_bytes(expected) if expected.is_file() else None),)
