"""Compare two programs: which is faster, by how much, and how sure; or, with --base, all that a change touches.

Exit status 1 only with --fail-if-slower, when NEW is slower beyond it with confidence, or wrong. With --base a function
that does something else than before, or of which too little is known, is listed and fails nothing.
"""

from __future__ import annotations

import argparse
import json

from codeopt.commands._review import add_change_arguments
from codeopt.commands._sandbox import add_case_arguments, add_sandbox_arguments, count, open_from
from codeopt.commands._shares import share
from codeopt.errors import UsageError
from codeopt.functions.flags import add_function_arguments

ORDER = 2
OTHERS_FILES = True
"""The current folder may hold what somebody else proposes: nothing is imported from there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="OLD NEW: programs, or FILE::FUNCTION; with --base: files, folders"
    )
    add_change_arguments(parser)
    add_case_arguments(parser)
    add_function_arguments(parser)
    judging = parser.add_argument_group("judging")
    judging.add_argument(
        "--clock", choices=["auto", "cpu", "wall", "memory"], default="auto", help="what decides (%(default)s)"
    )
    judging.add_argument("--max-pairs", type=count, default=120, metavar="N", help="timed pairs (%(default)d)")
    judging.add_argument("--seed", type=int, default=0, metavar="N", help="of the order within pairs (%(default)d)")
    judging.add_argument(
        "--fail-if-slower", type=share, metavar="SHARE", help="exit status 1 when slower by more, such as 5%%"
    )
    add_sandbox_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    """Compare; print a table or one JSON object."""
    from codeopt.commands._pair import compare_programs, is_slower, table
    from codeopt.console import Console

    if arguments.base or arguments.diff:
        from codeopt.commands._compare_change import run as compare_change

        return compare_change(arguments)
    if len(arguments.targets) != 2:
        raise UsageError("name OLD and NEW, or give --base REF to compare what a change touches")
    arguments.old, arguments.new = arguments.targets
    with Console(quiet=arguments.quiet) as console:
        if "::" in arguments.old or "::" in arguments.new:
            from codeopt.functions.compare import compare_targets

            found = compare_targets(arguments, console, open_from)
        else:
            with open_from(arguments, own_code_only=True, notify=console.warn) as sandbox:
                found = compare_programs(arguments, sandbox, console.progress)
    print(json.dumps(found) if arguments.json else table(found))
    limit = arguments.fail_if_slower
    return int(limit is not None and (is_slower(found, limit) or found["verdict"] == "rejected"))
