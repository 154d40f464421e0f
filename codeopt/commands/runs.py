"""List the saved runs, the newest first."""

from __future__ import annotations

import argparse
import json

from codeopt.commands._runs import add_home_argument, in_short

ORDER = 6.1
EXAMPLES = ("codeopt runs",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    add_home_argument(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    """One line a run."""
    from codeopt.escaping import inline
    from codeopt.finished_runs import list_runs

    found = list_runs(arguments.run_dir)
    if arguments.json:
        rows = [{"run": str(each.path), "ended": each.ended, "target": each.target,
                 "accepted": each.result.get("accepted"), "speedup": each.result.get("speedup"),
                 "seconds": each.result.get("seconds")} for each in found]  # fmt: skip
        print(json.dumps({"schema": "codeopt.runs/1", "runs": rows}))
        return 0
    for each in found:
        print(f"{in_short(each.result):<13} {inline(each.title, 40):<40} {each.path.name}")
    if not found:
        print(f"no runs in {arguments.run_dir / 'runs'}; codeopt improve makes them (--run-dir DIR: elsewhere)")
    return 0
