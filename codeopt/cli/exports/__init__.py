"""Benchmarks before and after a patch, in files that other tools compare: `before.json` and `after.json`."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from codeopt.core.errors import UsageError
from codeopt.core.plugins import load, names
from codeopt.core.program import write_whole

Rows = Sequence[tuple[str, Sequence[float]]]
"""Names of benchmarks, with seconds of calls."""


class Format(Protocol):
    """One tool's."""

    def text(self, rows: Rows, when: datetime, machine: Mapping[str, str]) -> str:
        """A file of its."""
        ...


def check_export(name: str, folder: Path) -> None:
    """Refuse before anything is run what could not be written after it. Raises UsageError."""
    if name.replace("-", "_") not in names(__name__):
        known = ", ".join(each.replace("_", "-") for each in names(__name__))
        raise UsageError(f"--export: unknown format {name!r}", hint=f"give {known}, and a folder after it")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--export: {folder} is a file", hint="name a folder for before.json and after.json")


def export(name: str, folder: Path, found: Mapping[str, Any] | None) -> str:
    """Write both files; a line that says what was done. found: `benchmarks` of a result. Raises UsageError."""
    rows = [row for row in found["rows"] if row["ratio"] is not None] if found else []
    if not rows:
        why = "no patch was accepted" if found else "the command runs none of pytest-benchmark, pyperf or ASV"
        return f"export     nothing: there are no benchmarks to compare, as {why}"
    chosen: Any = load(__name__, name)
    writer: Format = chosen
    when = datetime.now(UTC)
    machine = {"node": platform.node(), "python_version": platform.python_version(), "system": platform.system()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--export: cannot make {folder}: {error.strerror}") from error
    for side in ("before", "after"):
        text = writer.text([(row["name"], row[side]) for row in rows], when, machine)
        write_whole(folder / f"{side}.json", text)
    return f"export     {folder / 'before.json'} and after.json, for {name}"
