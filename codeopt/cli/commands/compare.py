"""Compare two versions: same results? Which is faster?

With --run, two versions of a project are compared by a command of its own: a folder and what it was at --base, or two
folders.

Exit status 1: NEW is wrong, or breaks the limit of --fail-if-slower with confidence. 5: NEW could not be verified, or
it is unknown whether the limit holds. With --base the worst of all functions counts; --exit-zero makes either 0.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.output import tell
from codeopt.core.errors import INTERRUPTED, ProgramError, UsageError

if TYPE_CHECKING:
    from codeopt.core.program import Target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    told = "OLD NEW, such as a.py b.py; files and folders with --base; folders with --run"
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=told)
    told = "OLD is this module, as `python -m` runs it; NEW alone is named"
    parser.add_argument("-m", dest="module", metavar="MODULE", help=told)
    flags.add_flags(parser, "compare")


@command(
    examples=(
        "codeopt compare old.py new.py --cases cases/",
        "codeopt compare mod.py::old mod.py::new       two functions",
        "codeopt compare old_module.py new_module.py   the functions that differ",
        "codeopt compare --base main --fail-if-slower 5%   what a branch touches",
        'codeopt compare --base HEAD --run "python bench.py"   by a command',
    ),
    first=("--cases", "--stdin", "--fail-if-slower", "--strict", "--json"),
    often=("--calls", "--tests", "--base", "--run", "--metric", "--python"),
    verdicts=(1, ProgramError.exit_status),
    takes_arguments=True,
    others_files=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Compare; print a table or one JSON object."""
    if arguments.base and not arguments.run:
        from codeopt.cli.compare_several import run_change as compare_change

        return compare_change(arguments)
    from codeopt_sandbox.compare import StoppingRule

    fewest = StoppingRule().min_pairs
    if arguments.fail_if_slower is not None and arguments.max_pairs < fewest:
        raise UsageError(f"--max-pairs must be at least {fewest} with --fail-if-slower")
    if not arguments.run and (modules := _modules(arguments)):
        from codeopt.cli import compare_several

        return compare_several.run_modules(arguments, *modules)
    from codeopt.cli.comparison_table import table

    if arguments.run:
        from codeopt.cli.compare_several import compare_versions

        found = compare_versions(arguments)
    else:
        from codeopt.core.console import Console
        from codeopt.core.isolation import for_own_code
        from codeopt.engine.compare import compare
        from codeopt.engine.open_session import open_session

        old, new = _pair(arguments)
        with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
            limit = arguments.fail_if_slower
            session = replace(open_session(console), command=tuple(arguments.asked))
            found = compare(old, new, for_own_code(flags.options_of(arguments)), session, limit=limit)
    if arguments.json:
        print(json.dumps(found.to_json()))
    else:
        tell(table(found, "NEW" if arguments.run else arguments.targets[-1], verbose=arguments.verbose) + "\n")
    return INTERRUPTED if found.interrupted else found.exit_status


def _modules(arguments: argparse.Namespace) -> tuple[Target, Target] | None:
    """OLD and NEW where both are library modules. Raises UsageError."""
    from codeopt.core.program import read_program
    from codeopt.workloads import kind_of
    from codeopt.workloads.module import is_library

    old, new = _pair(arguments)
    if old.name or new.name or kind_of(old, flags.options_of(arguments)).name != "module":
        return None
    return (old, new) if all(is_library(read_program(each.path).source) for each in (old, new)) else None


def _pair(arguments: argparse.Namespace) -> tuple[Target, Target]:
    """OLD and NEW. Raises UsageError."""
    from codeopt.core.program import as_module, as_target

    if arguments.module is not None:
        if len(arguments.targets) != 1:
            hint = "name NEW alone: the file that takes the module's place"
            raise UsageError("-m MODULE takes the place of OLD", hint=hint)
        return as_module(arguments.module, Path()), as_target(arguments.targets[0])
    if len(arguments.targets) != 2:
        hint = "name OLD and NEW, or give --base REF to compare what a change touches"
        raise UsageError("two targets are needed", hint=hint)
    old, new = map(as_target, arguments.targets)
    return old, new
