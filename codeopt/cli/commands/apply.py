"""Apply the result of a run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.runs import add_run_arguments, gain_of, run_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)
    flags.add_flags(parser, "apply")


@command(
    examples=(
        "codeopt apply                           the newest run's result",
        "codeopt apply shop/clean.py::distinct   one function of a run of several",
    )
)
def run(arguments: argparse.Namespace) -> int:
    """Write each file in one step; FILE.orig is kept unless git holds it. Raises UsageError."""
    from codeopt.core.json_codec import write_recorded
    from codeopt.core.run_index import changes_to_apply, undo_command
    from codeopt.core.sanitize import inline

    run = run_of(arguments)
    changes = changes_to_apply(run)
    if not changes:
        print("Already applied.")
        return 0
    written = write_recorded(run.listing.path, changes)
    names = _listed([os.path.relpath(each.path) for each in written])
    kept = [os.path.relpath(each.kept) for each in written if each.kept]
    which = "The original is in" if len(kept) == 1 else "The originals are in"
    originals = f" {which} {_listed(kept)}." if kept else ""
    print(inline(f"Applied to {names} ({gain_of(run.result)}).{originals}", 2000))
    print(inline(f"Undo: {undo_command(run.listing.path)}", 2000))
    return 0


def _listed(names: Sequence[str]) -> str:
    """`a.py, b.py and c.py`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
