"""What an editor shows: functions that a check or a saved run found slow, and changes that were verified for them."""

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
MOST_RUNS = 200
"""The newest ones that are looked at."""


@dataclass(frozen=True)
class SlowFunction:
    """A function or program, and what was measured of it."""

    file: str
    """Below the root, with `/`."""
    function: str
    """Qualified name; empty: the whole program, or not known."""
    share: float | None
    """Of its tests' time."""
    ratio: float | None = None
    """How many times as fast the change is; None where there is none."""
    changes: tuple[str, ...] = ()
    verified_for: str = ""
    """Digest of the file's text that the change was verified with; empty where there is none."""
    new_source: str = ""
    """The whole file with the change."""
    reason: str = ""
    """Why there is no change."""

    def fits(self, text: str) -> bool:
        """There is a verified change, and it is one of this very text."""
        return bool(self.new_source) and self.verified_for == digest(text)

    @property
    def words(self) -> str:
        """`63% of its tests' time; list_membership_to_set: 41.0x faster, verified`."""
        share = f"{share_of(self.share)} of its tests' time" if self.share is not None else ""
        rule = self.changes[0].partition(":")[0] if self.changes else "a draft"
        better = f"{rule}: {gain(self.ratio, digits=1)}, verified" if self.ratio else self.reason
        return "; ".join(part for part in (share, better) if part)


def of_check(answer: Mapping[str, Any]) -> list[SlowFunction]:
    """What is worth showing of a check's answer: what takes time, or can be faster."""
    return [
        SlowFunction(
            row["file"], row["function"], row["share"], (row["speedup"] or {}).get("ratio"), tuple(row["changes"]),
            row["sha256_before"] or "", row["new_source"] or "", row["reason"],
        )
        for row in answer["functions"]
        if row["new_source"] or row["share"] and row["judged"]
    ]  # fmt: skip


def of_improvement(answer: Mapping[str, Any], file: str, function: str) -> SlowFunction:
    """What an accepted improvement's answer says."""
    rounds = [each for each in answer["rounds"] if each["round"] == answer["best_round"]]
    changes = tuple(rounds[0]["changes"] or [rounds[0]["summary"]]) if rounds else ()
    ratio = (answer["speedup"] or {}).get("ratio")
    return SlowFunction(file, function, None, ratio, changes, answer["sha256_before"], answer["new_source"])


def saved(root: Path) -> list[SlowFunction]:
    """Of accepted runs of the user's own that were saved here."""
    folder = root / RUNS
    if not folder.is_dir():
        return []
    runs = sorted(folder.iterdir(), reverse=True)[:MOST_RUNS]
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
    """The function around the first line that differs; empty where that is in none."""
    lines = zip(before.split("\n"), after.split("\n"), strict=False)
    first = next((number for number, (one, other) in enumerate(lines, 1) if one != other), 1)
    around = [(name, place) for name, place in places(before).items() if place[0] <= first <= place[1]]
    return max(around, key=lambda each: each[1][0])[0] if around else ""


def places(text: str) -> dict[str, tuple[int, int]]:
    """First and last line of each function; nothing of what is no Python just now."""
    return dict(_places(text))


def _places(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for name, node in definitions(tree):
        yield name, (node.lineno, node.end_lineno or node.lineno)
