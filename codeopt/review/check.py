"""Check of a project: the functions that are slow under their tests, tried with the built-in rules and no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.core.isolation import isolated
from codeopt.core.options import ImproveOptions
from codeopt.core.session import Session
from codeopt.core.words import counted
from codeopt.review.change import whole_files
from codeopt.review.changed_functions import below, find_targets, is_test
from codeopt.review.findings.known import KnownFindings
from codeopt.review.ranking import ProfileMatch, Ranking, rank
from codeopt.review.suggestion import FunctionRow, ReviewTarget, RowState
from codeopt.review.work import FunctionLoop, Improver, ReviewBudget, Tried
from codeopt_sandbox.owner import temporary_folder

if TYPE_CHECKING:
    from codeopt.report.answers import CheckJson


@dataclass(frozen=True)
class CheckedPart:
    paths: tuple[Path, ...]
    """Files and folders, absolute."""
    exclude: Sequence[str] = ()
    """Patterns of paths that are left alone; see changed_functions.matches."""
    min_share: float = 0.05
    """Smallest share of the tests' time, 0 to 1, with which a function is tried; others are only listed."""


@dataclass(frozen=True)
class Listed:
    """The contents of a part of a project, read and not run."""

    targets: tuple[ReviewTarget, ...]
    left_alone: tuple[FunctionRow, ...]
    """Files and functions that are not looked at, with the reason."""
    unread: str = ""
    """Reason why nothing can be looked at. Empty: something can."""
    notices: tuple[str, ...] = ()
    """Reason why some files were not read. Empty: all were."""
    scripts: tuple[Path, ...] = ()
    """Files that hold nothing to check: no function, and no program with its cases."""

    def completed(self, found: Tried | None) -> Tried:
        """Add what is left alone to what a check found. None: there was nothing to check."""
        found = found or Tried(not_checked_reason=self.unread)
        return replace(found, rows=(*found.rows, *self.left_alone), notices=found.notices or self.notices)


def listed(part: CheckedPart, limits: ReviewBudget | None = None) -> Listed:
    """List what can be looked at, and what is left alone; nothing is run. Raises UsageError."""
    limits = limits or ReviewBudget()
    repository, everything = whole_files(part.paths)
    targets, skipped = find_targets(everything, repository, part.paths, part.exclude, limits.clock)
    closed = [FunctionRow(ReviewTarget(path, "", everything.root / path), why) for path, why in everything.closed]
    known = {each.path for each in targets} | {each.path for each in skipped}
    others = [each.path for each in everything.files if each.path not in known and not is_test(each.path)]
    scripts = [everything.root / path for path in others if below(everything.root / path, part.paths)]
    notices = (limits.out_of_time,) if any(row.is_left for row in skipped) else ()
    return Listed(tuple(targets), (*skipped, *closed), why_unread(targets, skipped), notices, tuple(scripts))


def check(
    part: CheckedPart, targets: Sequence[ReviewTarget], options: ImproveOptions, limits: ReviewBudget, session: Session,
    known: KnownFindings | None = None, profiled: ProfileMatch | None = None,
) -> Tried:  # fmt: skip
    """Rank the targets by their time and try those that take enough of it. Raises UsageError, NoSandbox.

    known: findings of earlier runs, which are not judged again; None: everything is.
    profiled: their time in production, which decides in place of their tests' time.
    """
    work = FunctionLoop(limits, targets, session.console, known)
    with work.limited(), temporary_folder("check") as folder:
        limits.clock.check()
        options = isolated(options)
        ranking = Ranking(profiled.targets) if profiled else rank(options, targets, session, limits.clock)
        nowhere = "the profile has no time in it" if profiled else ranking.untested

        def why_not(target: ReviewTarget) -> str:
            if not target.function or (target.share or 0.0) >= part.min_share:
                return ""  # a program always: its cases were made to run it
            return f"less than {part.min_share:.0%} of the time" if target.seconds or target.share else nowhere

        work.choose(ranking, why_not)
        # Neither times by size nor hot lines of a result are in the answer.
        told = replace(session, extras=False, traces=ranking.traces)
        work.run(Improver(replace(options, run_dir=folder), told))
    return work.tried(session.interpreter)


def check_answer(found: Tried, profile: str = "") -> CheckJson:
    """The object that `codeopt check --json` prints. profile: name of the one that ranked the targets."""
    from codeopt.report.answers import CheckJson, gather

    return gather(CheckJson, found, schema="codeopt.check/1", **found.fields(), profile=profile)


def why_unread(targets: Sequence[ReviewTarget], skipped: Sequence[FunctionRow]) -> str:
    """Return the reason why no target was found, if files cannot be read. Empty: there are targets or no such files."""
    unread = [] if targets else [f"{row.path}: {row.reason}" for row in skipped if row.state is not RowState.LEFT_OUT]
    return f"none of {counted(len(unread), 'file')} could be read: {unread[0]}" if unread else ""
