"""Files that the result of a run was written to: recorded in the run's folder first, so that they can be put back."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.ownership import require_own
from codeopt.core.program import FileChange, Replacement, kept_beside, read_text, replacement, write_whole
from codeopt.core.run_index import functions_in, list_runs, require_inside
from codeopt_sandbox.plain_files import read_bytes

SCHEMA = "codeopt.written/1"
RECORD = "written.json"
UNDONE = "undone.json"
"""The same once the files were put back."""


@dataclass(frozen=True)
class Written:
    """The files that were written last of one run."""

    run: Path
    at: float
    """Seconds since the epoch."""
    files: tuple[Replacement, ...]


def write_recorded(run: Path, changes: Iterable[FileChange]) -> tuple[Replacement, ...]:
    """Write each file, and record it in the run's folder. None is written if one has changed since it was read. Raises
    UsageError."""
    replacements = tuple(replacement(change.program, change.text) for change in changes)
    rows = [
        {"path": str(each.path.absolute()), "before": each.before, "after": each.after, "kept": bool(each.kept)}
        for each in replacements
    ]
    write_whole(run / RECORD, json.dumps({"schema": SCHEMA, "at": time.time(), "files": rows}))
    for each in replacements:
        each.write()
    return replacements


def last_written(home: Path) -> Written:
    """Return the most recently written files of all runs below `home`. Raises UsageError if there are no such files."""
    paths = [each.path for run in list_runs(home) for each in (run, *functions_in(run.path))]
    found = [written for path in paths if (written := _read(path))]
    if not found and any((path / UNDONE).exists() for path in paths):
        raise UsageError("nothing to undo: what was written was put back before", hint="codeopt apply writes it again")
    if not found:
        raise UsageError(f"nothing to undo: no result of a run in {home / 'runs'} was written")
    last = max(found, key=lambda each: each.at)
    require_own(last.run, f"the run in {last.run}")
    return last


def undo(written: Written) -> list[Path]:
    """Put the files back as they were, and mark the record as undone; returns those that were written.

    Raises UsageError if a file has changed since; none is written then.
    """
    changed = []
    for each in written.files:
        require_inside(each.path, written.run)
        now = read_text(each.path)
        if now not in (each.before, each.after):
            raise UsageError(f"{each.path} has changed since it was written")
        changed += [each] * (now != each.before)
    for each in changed:
        write_whole(each.path, each.before)
        if each.kept and each.kept.is_file() and read_text(each.kept) == each.before:
            each.kept.unlink()
    (written.run / RECORD).replace(written.run / UNDONE)
    return [each.path for each in changed]


def _read(run: Path) -> Written | None:
    """Return the record of a run, or None if it is missing or broken."""
    try:
        found: Any = json.loads(read_bytes(run / RECORD))
        files = tuple(_replacement(**row) for row in found["files"])
        return Written(run, float(found["at"]), files) if found["schema"] == SCHEMA else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _replacement(path: str, before: str, after: str, kept: bool) -> Replacement:
    return Replacement(Path(path), before, after, kept_beside(Path(path)) if kept else None)
