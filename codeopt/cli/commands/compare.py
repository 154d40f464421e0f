"""Compare two programs: which is faster, by how much, and how sure; or, with --base, all that a change touches.

With --run, two versions of a project are compared by a command of its own: a folder and what it was at --base, or two
folders.

Exit status 1: NEW is wrong, or breaks the limit of --fail-if-slower with confidence. 5: NEW could not be verified, or
it cannot be told whether the limit holds. With --base the worst of all functions counts; --exit-zero makes either 0.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.errors import ProgramError, UsageError

if TYPE_CHECKING:
    from codeopt.core.target import Target

INTERRUPTED = 130  # status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="OLD NEW: programs, or FILE::FUNCTION; with --base: files, folders; with --run: folders",
    )
    parser.add_argument(
        "-m", dest="module", metavar="MODULE", help="OLD is this module, as `python -m` runs it; NEW alone is named"
    )
    flags.add_flags(parser, "compare")
    parser.epilog = flags.BEHIND_DASHES


@command(
    2,
    examples=(
        "codeopt compare old.py new.py --cases cases/",
        "codeopt compare mod.py::old mod.py::new       two functions",
        "codeopt compare --base main --fail-if-slower 5%   what a branch touches",
        'codeopt compare --base HEAD --run "python bench.py"   the edited project, by a command',
    ),
    first=("--cases", "--stdin", "--fail-if-slower", "--strict", "--json"),
    often=("--calls", "--tests", "--base", "--run", "--clock", "--python"),
    verdicts=(1, ProgramError.exit_status),
    takes_arguments=True,
    others_files=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Compare; print a table or one JSON object."""
    from codeopt.cli.compare_table import table
    from codeopt.core.console import Console
    from codeopt.engine.compare import compare
    from codeopt.engine.open_session import open_session

    if arguments.run:
        from codeopt.cli.compare_versions import run as compare_versions

        return compare_versions(arguments)
    if arguments.base or arguments.diff:
        from codeopt.cli.compare_change import run as compare_change

        return compare_change(arguments)
    old, new = _pair(arguments)
    limit = arguments.fail_if_slower
    if limit is not None and arguments.max_pairs < 7:
        raise UsageError("--max-pairs must be 7 at least: fewer pairs decide nothing")
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        found = compare(old, new, flags.options_of(arguments), open_session(console), limit=limit)
    print(json.dumps(found.to_json()) if arguments.json else table(found))
    if found.interrupted:
        return INTERRUPTED
    return found.exit_status


def _pair(arguments: argparse.Namespace) -> tuple[Target, Target]:
    """OLD and NEW. Raises UsageError."""
    from codeopt.core.target import as_module, as_target

    if arguments.module is not None:
        if len(arguments.targets) != 1:
            raise UsageError("with -m MODULE, name NEW alone: the file that takes the module's place")
        return as_module(arguments.module, Path()), as_target(arguments.targets[0])
    if len(arguments.targets) != 2:
        raise UsageError("name OLD and NEW, or give --base REF to compare what a change touches")
    old, new = map(as_target, arguments.targets)
    return old, new
