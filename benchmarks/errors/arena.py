"""The judge against drafts that others wrote: right ones that it refuses, wrong ones that it calls faster.

    python -m benchmarks.errors.arena enamel DATA [--first 10] [--results FILE.jsonl]
    python -m benchmarks.errors.arena algotune DATA --python VENV/bin/python [--each 2]
    python -m benchmarks.errors.arena coffe DATA

DATA is the folder of the arena, or of all of them, where the variable ARENAS_DATA may name it: TASK/slow.py with
expert.py and calls.py (ENAMEL), drafts/ and calls.py (AlgoTune), fast.py and cases/ (COFFE). Whether a draft is right
is found out without the judge, in the sandbox. Each row is written to --results when it is reached; the same command
goes on behind it. Exit status 1 where fewer than 95 % of the right drafts are accepted (not rejected, with or without
caveats), or a wrong one is called faster without a caveat. AlgoTune needs numpy, scipy, networkx and numba in --python.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import keep_line, not_run
from benchmarks.errors import arenas

GOAL = 0.95
ARENAS = ("enamel", "algotune", "coffe")


def main() -> int:
    """One line a draft, then the table."""
    arguments = _arguments()
    data = _data(arguments)
    known = arenas.kept_rows(arguments.results)
    rows = []
    with tempfile.TemporaryDirectory() as work:
        settings = arenas.Settings(
            data,
            Path(work),
            only=tuple(arguments.only),
            wrong=arguments.wrong,
            shown=arguments.shown,
            size=arguments.size,
            pairs=arguments.pairs,
            python=arguments.python,
            sandbox=arguments.sandbox,
            known=frozenset(known),
        )
        trials = import_module(f"benchmarks.errors.arenas.{arguments.arena}").trials(settings)
        quota = arenas.ProbeBudget(arguments.each)
        for trial in arenas.first_of_each_task(trials, arguments.first, arguments.drafts):
            if row := _row(trial, known.get(trial.name), quota, arguments.results):
                rows.append(row)
    if not rows:
        not_run(f"{data} holds no task of {arguments.arena}")
    print(arenas.table(arguments.arena, rows))
    return int(not is_good(rows))


def _row(
    trial: arenas.Trial, kept: dict[str, Any] | None, quota: arenas.ProbeBudget, results: Path | None
) -> dict[str, Any] | None:
    """Row of an earlier run, or a new one, which is shown and kept; None for a draft that is one too many."""
    if kept is not None:
        quota.takes(trial.task, kept["kind"])
        return kept
    if quota.is_full(trial.task) or not quota.takes(trial.task, (truth := trial.truth()).kind):
        return None
    row = trial.row(truth)
    print(arenas.line(row), flush=True)
    keep_line(results, row)
    return row


def is_good(rows: list[dict[str, Any]]) -> bool:
    """Return whether the goals are reached."""
    right = [row for row in rows if row["kind"] in (arenas.RIGHT, arenas.COMPILED)]
    return sum(map(arenas.is_accepted, right)) >= GOAL * len(right) and not any(map(arenas.is_false, rows))


def _data(arguments: argparse.Namespace) -> Path:
    home = arguments.data or os.environ.get("ARENAS_DATA")
    if not home:
        not_run("name the folder of the data, or set ARENAS_DATA")
    path = Path(home).resolve()
    inner = path / arguments.arena
    return inner if inner.is_dir() else path


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("arena", choices=ARENAS)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--first", type=int, metavar="N", help="tasks, from the first on (all)")
    parser.add_argument("--drafts", type=int, metavar="N", help="drafts of a task, from the first on (all)")
    parser.add_argument("--each", type=int, metavar="N", help="right drafts of a task, and wrong ones, as many (all)")
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="tasks whose name has one of these in it")
    parser.add_argument("--wrong", type=int, default=2, help="drafts with a mistake a task (%(default)s)")
    parser.add_argument("--shown", type=int, default=4, help="calls or tests known with these (%(default)s)")
    parser.add_argument("--size", type=int, default=100, help="largest problem that is timed (%(default)s)")
    parser.add_argument("--pairs", type=int, default=8, help="at most, of one comparison (%(default)s)")
    parser.add_argument("--results", type=Path, help="a file of JSON lines: what is in it is not judged again")
    parser.add_argument("--python", help="interpreter that runs the drafts")
    parser.add_argument("--sandbox", default="bubblewrap")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
