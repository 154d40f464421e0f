"""The gain of each edit of a patch: the lines that people read below a result, and the fields of its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from codeopt.core.columns import columns
from codeopt.core.sanitize import inline
from codeopt.core.words import Speedup, factor

THE_COMMAND = "the command"
"""Name of what is timed where the command is long enough."""


def has_edits(found: Mapping[str, Any]) -> bool:
    """Return whether a result is a patch of several files."""
    return "edits" in found


def table_of(found: Mapping[str, Any]) -> list[str]:
    """One row an edit."""
    rows = [(figures(edit), f"{_place(edit)}{_size(edit['ablation'])}") for edit in found["edits"]]
    gone = [f"Left out: {_place(edit)}{_size(edit)} ({_why_dropped(edit)})" for edit in found["left_out_edits"]]
    shown = columns([("without the edit", "edit"), *rows]) if rows else []
    return [*_bench_rows(found.get("benchmarks")), *shown, *gone]


def _place(edit: Mapping[str, Any]) -> str:
    return f"{inline(edit['file'])}::{inline(edit['qualname'])}"


def _why_dropped(edit: Mapping[str, Any]) -> str:
    return "the command was never seen to call it" if edit.get("never_called") else "no gain of 3% or more"


def _size(found: Mapping[str, Any]) -> str:
    """Name the larger command at which an edit was compared, and whether that was inconclusive.

    Empty for older results.
    """
    at = f", by {inline(found['at'])}" if found.get("at") else ""
    return f"{at}, kept, its gain is inconclusive" if found.get("undecided") else at


def _bench_rows(found: Mapping[str, Any] | None) -> list[str]:
    """One row a benchmark, by its own name and clock."""
    rows = [row for row in found["rows"] if row["ratio"] is not None] if found else []
    lines = [
        f"  {median(row['before']) * 1e3:.4g} ms -> {median(row['after']) * 1e3:.4g} ms, {factor(row['ratio'])}  "
        f"{inline(row['name'])}"
        for row in rows
    ]
    return [f"by {found['harness']}'s own clock", *lines] if found and lines else []


def figures(edit: Mapping[str, Any]) -> str:
    """Loss without this edit: `2.1x slower (2.0x to 2.2x)`; or that the rest needs it."""
    found = edit["ablation"]
    if found["ratio"] is None:
        return "wrong: the rest needs it"
    lost = _loss(found)
    return f"{lost.gain} ({lost.span})"


def _loss(found: Mapping[str, Any]) -> Speedup:
    """The figures of a leave-one-out run, which say new over old, as old over new."""
    low, high = (1 / found[end] if found[end] else None for end in ("ci_high", "ci_low"))
    return Speedup(1 / found["ratio"], low, high, 0)
