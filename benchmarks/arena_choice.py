"""Recorded drafts as a stand-in for a model: how good is what a batch chose, which did not know which draft is good?

    python -m benchmarks.arena_choice RUN_DIR ROWS.jsonl

RUN_DIR is the folder of `codeopt batch --model benchmarks.arenas.recorded:drafts` over a set of AlgoTune's tasks (see
benchmarks/arenas/recorded.py), ROWS what `python -m benchmarks.arena algotune --results` says of the same drafts: which
are right, by `is_solution`, and how much faster each is by itself. A task where nothing was chosen counts
as 1x, and so does one whose right drafts are all slower. The harmonic mean is AlgoTune's score. Exit status 1 below the
goal: a harmonic mean of 95 % of that of the best drafts.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import harmonic_mean, median
from typing import Any

from benchmarks import not_run
from benchmarks.arenas import COMPILED, RIGHT, kept_rows
from codeopt.batch.batch_folder import BatchFolder

GOAL = 0.95


def chosen(run_dir: Path) -> dict[str, float]:
    """Confirmed speedup of what a batch chose, by task; 1 where nothing was. Tasks that did not end are left out."""
    batch = BatchFolder(run_dir)
    found = {each.id: batch.status(each.id) for each in batch.problems()}
    return {id: (each.accepted and each.ratio) or 1.0 for id, each in found.items() if each.status == "done"}


def best(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Speedup of the best right draft by itself, by task; at least 1: nobody has to take a slower one."""
    found: dict[str, float] = {}
    for row in rows:
        ratio = row.get("ratio") if row["kind"] in (RIGHT, COMPILED) else None
        found[row["task"]] = max(found.get(row["task"], 1.0), ratio or 1.0)
    return found


def table(ours: Mapping[str, float], theirs: Mapping[str, float]) -> str:
    """Markdown table of both speedups for each task, with their means at its end."""
    lines = ["| task | chosen | best right draft | share |", "|---|--:|--:|--:|"]
    lines += [f"| {id} | {ours[id]:.2f}x | {theirs[id]:.2f}x | {ours[id] / theirs[id]:.2f} |" for id in sorted(ours)]
    both = [list(each.values()) for each in (ours, {id: theirs[id] for id in ours})]
    for name, middle in (("harmonic mean", harmonic_mean), ("median", median)):
        one, other = (float(middle(values)) for values in both)
        lines.append(f"| **{name}** | {one:.2f}x | {other:.2f}x | {one / other:.2f} |")
    reached = sum(ours[id] >= GOAL * theirs[id] for id in ours)
    return "\n".join([*lines, "", f"{reached} of {len(ours)} tasks reach {GOAL:.0%} of their best right draft"])


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("rows", type=Path)
    arguments = parser.parse_args()
    if not (arguments.run_dir / "batch.json").is_file() or not arguments.rows.is_file():
        not_run("there is no batch in RUN_DIR, or no ROWS")
    theirs, all_chosen = best([*kept_rows(arguments.rows).values()]), chosen(arguments.run_dir)
    ours = {id: ratio for id, ratio in all_chosen.items() if id in theirs}
    if not ours:
        not_run("no task stands in both")
    print(table(ours, theirs))
    if left_out := sorted(all_chosen.keys() ^ theirs.keys()):
        print(f"left out, because they stand in only one of the two: {', '.join(left_out)}")
    return int(harmonic_mean([*ours.values()]) < GOAL * harmonic_mean([theirs[id] for id in ours]))


if __name__ == "__main__":
    raise SystemExit(main())
