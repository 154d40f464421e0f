"""Slow functions as an editor shows them: found by a check or a saved run, with the changes that were verified."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.ownership import foreign
from codeopt.core.run_store import digest
from codeopt.core.words import gain
from codeopt.core.words import share as share_of
from codeopt.workloads.source.functions import definitions

RUNS = ".codeopt/runs"
MAX_RUNS = 200
"""Saved runs that are read at most, the newest first."""


@dataclass(frozen=True)
class SlowFunction:
    """A function or program with its measurements."""

    file: str
    """Path below the root, with `/`."""
    function: str
    """Qualified name; empty: the whole program, or not known."""
    share: float | None
    """Share of its tests' time, 0 to 1; None: not measured."""
    ratio: float | None = None
    """Speedup of the change; None: there is no change."""
    changes: tuple[str, ...] = ()
    """Sentences that say what was changed and why."""
    verified_for: str = ""
    """Digest of the file's text that the change was verified with; empty: there is no change."""
    new_source: str = ""
    """The whole file with the change."""
    reason: str = ""
    """Reason why there is no change."""

    def fits(self, text: str) -> bool:
        """Whether there is a change that was verified with this very text."""
        return bool(self.new_source) and self.verified_for == digest(text)

    @property
    def words(self) -> str:
        """`63% of its tests' time; list_membership_to_set: 41.0x faster, verified`."""
        share = f"{share_of(self.share)} of its tests' time" if self.share is not None else ""
        rule = self.changes[0].partition(":")[0] if self.changes else "a draft"
        better = f"{rule}: {gain(self.ratio, digits=1)}, verified" if self.ratio else self.reason
        return "; ".join(part for part in (share, better) if part)


def of_check(answer: Mapping[str, Any]) -> list[SlowFunction]:
    """Functions of a check's answer that take time or can be faster."""
    return [
        SlowFunction(
            row["file"], row["function"], row["share"], (row["speedup"] or {}).get("ratio"), tuple(row["changes"]),
            row["sha256_before"] or "", row["new_source"] or "", row["reason"],
        )
        for row in answer["functions"]
        if row["new_source"] or row["share"] and row["judged"]
    ]  # fmt: skip


def of_improvement(answer: Mapping[str, Any], file: str, function: str) -> SlowFunction:
    """Convert the answer of an accepted improvement."""
    rounds = [each for each in answer["rounds"] if each["round"] == answer["best_round"]]
    changes = tuple(rounds[0]["changes"] or [rounds[0]["summary"]]) if rounds else ()
    ratio = (answer["speedup"] or {}).get("ratio")
    return SlowFunction(file, function, None, ratio, changes, answer["sha256_before"], answer["new_source"])


def saved(root: Path) -> list[SlowFunction]:
    """Functions of the user's own accepted runs that were saved here, the newest first."""
    folder = root / RUNS
    if not folder.is_dir():
        return []
    runs = sorted(folder.iterdir(), reverse=True)[:MAX_RUNS]
    left_out = foreign(runs)
    return [each for each in (_of_run(run, root) for run in runs if run not in left_out) if each]


def _of_run(run: Path, root: Path) -> SlowFunction | None:
    try:
        result = json.loads((run / "result.json").read_text("utf-8"))
        if not result["accepted"] or not result["speedup"]:
            return None
        before, after = ((run / name).read_text("utf-8") for name in ("original.py", "best.py"))
        path = (root / result["file"]).resolve()
        (best,) = [each for each in result["rounds"] if each["round"] == result["best_round"]]
        if not path.is_relative_to(root) or digest(after) != result["sha256_after"]:
            return None
        return SlowFunction(
            path.relative_to(root).as_posix(), _changed(before, after), None, result["speedup"]["ratio"],
            tuple(best["changes"] or [best["summary"]]), result["sha256_before"], after,
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, IndexError):  # written by an earlier version, or half gone
        return None


def _changed(before: str, after: str) -> str:
    """Name of the function around the first line that differs; empty: that line is in none."""
    lines = zip(before.split("\n"), after.split("\n"), strict=False)
    first = next((number for number, (one, other) in enumerate(lines, 1) if one != other), 1)
    around = [(name, place) for name, place in places(before).items() if place[0] <= first <= place[1]]
    return max(around, key=lambda each: each[1][0])[0] if around else ""


def places(text: str) -> dict[str, tuple[int, int]]:
    """First and last line of each function by name; empty while the text is no Python."""
    return dict(_places(text))


def _places(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for name, node in definitions(tree):
        yield name, (node.lineno, node.end_lineno or node.lineno)
