"""`codeopt compare --run COMMAND`: two versions of a project, judged by a command of its user's."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from codeopt.cli import flags, review_flags
from codeopt.cli.compare_table import table
from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.engine.compare import PairResult, compare
from codeopt.engine.open_session import open_session
from codeopt.review.base_checkout import open_base_version
from codeopt.review.surroundings import isolated

INTERRUPTED = 130  # status
OF_ONE = ("cases", "stdin", "calls", "contract", "module", "diff")
"""Flags of one program or function, or of a change without a commit."""


def run(arguments: argparse.Namespace) -> int:
    """Compare; print a table or one JSON object. Raises UsageError."""
    _check(arguments)
    folders = [Path(text) for text in arguments.targets]
    limit = arguments.fail_if_slower
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        options, session = flags.options_of(arguments), open_session(console)
        if options.args:
            raise UsageError("what follows -- is of one program; with --run the arguments stand in the command")
        if len(folders) == 2:
            found = compare(Target(folders[0]), Target(folders[1]), options, session, limit=limit)
        else:
            found = _with_base(arguments, folders[0] if folders else Path(), options, session)
    print(json.dumps(found.to_json()) if arguments.json else table(found))
    return INTERRUPTED if found.interrupted else found.exit_status


def _with_base(arguments: argparse.Namespace, folder: Path, options: ImproveOptions, session: Session) -> PairResult:
    """A folder as it was in a commit, against as it is. Raises UsageError, NoSandbox."""
    with _base_of(arguments, folder) as (before, commit, changed):
        options, session = review_flags.find_python(options, session.console, folder, changed)
        found = compare(
            Target(before), Target(folder), isolated(options), session, own_code_only=False,
            limit=arguments.fail_if_slower,
        )  # fmt: skip
        return replace(found, facts=found.facts | {"base": commit})


@contextmanager
def _base_of(arguments: argparse.Namespace, folder: Path) -> Iterator[tuple[Path, str, frozenset[str]]]:
    """The folder before the change, the commit, and the paths that the change touches. Raises UsageError."""
    from codeopt.review.change import change_since, find_base
    from codeopt.review.repository import open_repository

    repository = open_repository(folder.absolute())
    change = change_since(repository, find_base(repository, arguments.base))
    review_flags.require_settings(repository, change, arguments.check)
    with open_base_version(repository, change.base, folder) as before:
        yield before, change.base, change.paths


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what does not go with --run. Raises UsageError."""
    given = next((name for name in OF_ONE if getattr(arguments, name, None)), "")
    if given:
        flag = "-m" if given == "module" else f"--{given}"
        raise UsageError(f"{flag} is not for --run, which judges a whole project: leave it out")
    for text in arguments.targets:
        if not Path(text).is_dir():
            raise UsageError(f"compare --run takes folders of a project, and {text} is none")
    if len(arguments.targets) > 2 or (len(arguments.targets) == 2 and arguments.base):
        raise UsageError("with --run, name two folders, OLD and NEW; or --base REF and at most one folder")
    if arguments.fail_if_slower is not None and arguments.max_pairs < 7:
        raise UsageError("--max-pairs must be 7 at least: fewer pairs decide nothing")
