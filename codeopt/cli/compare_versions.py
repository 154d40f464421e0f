"""`codeopt compare --run COMMAND`: two versions of a project, judged by a command of its user's."""

from __future__ import annotations

import argparse
from pathlib import Path

from codeopt.cli import flags, review_flags
from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.engine.compare import PairResult, compare
from codeopt.engine.open_session import open_session
from codeopt.review.base_checkout import compare_with_base
from codeopt.review.surroundings import isolated

OF_ONE = ("cases", "stdin", "calls", "contract", "module", "diff")
"""Flags of one program or function, or of a change without a commit."""


def compare_versions(arguments: argparse.Namespace) -> PairResult:
    """Compare two folders, or one with what it was in a commit. Raises UsageError, NoSandbox."""
    _check(arguments)
    folders = [Path(text) for text in arguments.targets]
    limit = arguments.fail_if_slower
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        options = flags.options_of(arguments)
        session = open_session(console)
        if options.args:
            raise UsageError("arguments after -- are for one program", hint="with --run they are part of the command")
        if len(folders) == 2:
            old, new = map(Target, folders)
            return compare(old, new, options, session, limit=limit)
        return _with_base(arguments, folders[0] if folders else Path(), options, session)


def _with_base(arguments: argparse.Namespace, folder: Path, options: ImproveOptions, session: Session) -> PairResult:
    """A folder as it was in a commit, against as it is. Raises UsageError, NoSandbox."""
    from codeopt.review.change import change_since, find_base
    from codeopt.review.repository import open_repository

    repository = open_repository(folder.absolute())
    change = change_since(repository, find_base(repository, arguments.base))
    review_flags.require_settings(repository, change, arguments.check)
    options, session = review_flags.find_python(options, session.console, folder, change.paths)
    limit = arguments.fail_if_slower
    return compare_with_base(repository, change.base, folder, isolated(options), session, limit)


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what does not go with --run. Raises UsageError."""
    given = next((name for name in OF_ONE if getattr(arguments, name, None)), "")
    if given:
        flag = "-m" if given == "module" else f"--{given}"
        raise UsageError(f"{flag} is not for --run", hint="leave it out")
    for text in arguments.targets:
        if not Path(text).is_dir():
            raise UsageError(f"compare --run takes folders of a project, but {text} is not one")
    if len(arguments.targets) > 2 or (len(arguments.targets) == 2 and arguments.base):
        raise UsageError(
            "--run compares two folders", hint="name OLD and NEW, or give --base REF and at most one folder"
        )
