"""`codeopt profile [PATH] --run COMMAND`: where the time of a user's own command goes, across a whole project."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from codeopt.cli import flags
from codeopt.cli.output import require_writable, tell, write_page
from codeopt.core.errors import UsageError
from codeopt.report.stack_files import write_collapsed, write_speedscope

EXPORTS = {"speedscope": write_speedscope, "collapsed": write_collapsed}
"""Writers by the format that --export names."""


def profile_run(arguments: argparse.Namespace) -> int:
    """Profile it; print the tree, or one JSON object."""
    from codeopt.core.console import Console
    from codeopt.core.program import write_whole
    from codeopt.engine.open_session import open_session
    from codeopt.report.result import python_line
    from codeopt.report.stack_files import read_profile
    from codeopt.workloads.project.page import command_page
    from codeopt.workloads.project.profiling import profile_project, profile_text

    _check(arguments, Path(arguments.target or "."))
    before = read_profile(arguments.before, "--before") if arguments.before else None
    options, folder = flags.options_of(arguments), Path(arguments.target or ".")
    session = open_session(Console(quiet=arguments.quiet, verbose=arguments.verbose))
    with session.console:
        found = profile_project(folder, options, session, counts=arguments.verbose)
    if arguments.export:
        write_whole(Path(arguments.export[1]), EXPORTS[arguments.export[0]](found.profile.stacks(found.command)))
    if arguments.html:
        files, python = dict(found.project.files), python_line(found.interpreter)
        page = command_page(found.command, found.profile, files, python, found.project.notes, before)
        write_page(arguments.html, page)
    if arguments.json:
        print(json.dumps(found.answer().to_json()))
    else:
        python = f"{python_line(found.interpreter)}\n" if arguments.verbose else ""
        files = dict(found.project.files)
        shown = profile_text(found.command, found.profile, files, verbose=arguments.verbose, folder=str(folder))
        tell(f"{python}{shown}\n")
    return 0


def _check(arguments: argparse.Namespace, folder: Path) -> None:
    """Raise UsageError for invalid arguments."""
    if not folder.is_dir():
        raise UsageError(f"profile --run takes the folder of a project, but {folder} is not one")
    if arguments.html:
        require_writable(arguments.html)
    if arguments.before and not arguments.html:
        raise UsageError("--before needs a page", hint="give --html FILE")
    if arguments.export:
        require_writable(Path(arguments.export[1]))
    if arguments.export and arguments.export[0] not in EXPORTS:
        raise UsageError(
            f"--export: unknown format {arguments.export[0]!r}", hint=f"give {', '.join(EXPORTS)}, and a FILE after it"
        )
