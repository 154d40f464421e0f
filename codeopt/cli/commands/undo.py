"""Undo the last apply or --write."""

from __future__ import annotations

import argparse
import os

from codeopt.cli import flags
from codeopt.cli.command import command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    flags.add_flags(parser, "undo")


@command(examples=("codeopt undo",))
def run(arguments: argparse.Namespace) -> int:
    """Write each file as it was. Raises UsageError."""
    from codeopt.core.json_codec import last_written, undo
    from codeopt.core.sanitize import inline

    paths = undo(last_written(arguments.run_dir))
    names = ", ".join(os.path.relpath(path) for path in paths)
    print(inline(f"Put back {names}.", 2000) if paths else "Nothing to undo: the files are as they were.")
    return 0
