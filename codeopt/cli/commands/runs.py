"""List the runs, newest first."""

from __future__ import annotations

import argparse
import json
import sys

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.runs import in_short


def add_arguments(parser: argparse.ArgumentParser) -> None:
    flags.add_flags(parser, "runs")


@command(examples=("codeopt runs",))
def run(arguments: argparse.Namespace) -> int:
    """One line a run."""
    from codeopt.core.errors import report_lines
    from codeopt.core.run_index import runs_in
    from codeopt.core.sanitize import inline
    from codeopt.core.screen import columns

    runs = runs_in(arguments.run_dir)
    found = runs.own
    if arguments.json:
        rows = []
        for run in found:
            told = {name: run.result.get(name) for name in ("accepted", "speedup", "seconds")}
            rows.append({"run": str(run.path), "ended": run.ended, "target": run.target, **told})
        left_out = [{"run": str(path), "why": why} for path, why in runs.left_out.items()]
        print(json.dumps({"schema": "codeopt.runs/1", "runs": rows, "left_out": left_out}))
        return 0
    table = [(in_short(each.result), inline(each.title), inline(each.path.name)) for each in found]
    print("\n".join(columns(table, name=1)), end="\n" * bool(table))
    if runs.left_out:
        some, why = next(iter(runs.left_out.items()))
        line = f"{len(runs.left_out)} runs are not yours, such as {some.name}: {why}"
        print("\n".join(report_lines("warning", inline(line, 400))), file=sys.stderr)
    elif not found:
        print(f"There are no runs in {arguments.run_dir / 'runs'}.\nNext: codeopt improve slow.py")
    return 0
