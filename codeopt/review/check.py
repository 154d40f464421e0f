"""Check of a project: the functions that are slow under their tests, tried with the built-in rules and no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.run_clock import DeadlineReached
from codeopt.core.session import Session
from codeopt.core.words import counted
from codeopt.review.change import whole_files
from codeopt.review.changed_functions import ReviewTarget, below, find_targets, is_test
from codeopt.review.findings.known import KnownFindings
from codeopt.review.profile_ranking import ProfileMatch
from codeopt.review.ranking import Ranking
from codeopt.review.suggestion import Skipped, Suggestion, rounded
from codeopt.review.surroundings import Improver, isolated, rank
from codeopt.review.work import BUDGET_SPENT, INTERRUPTED, ReviewBudget, ReviewRun, Verdicts
from codeopt_sandbox.owner import temporary_folder

if TYPE_CHECKING:
    from codeopt.report.answers import CheckedFunctionFields, CheckJson


@dataclass(frozen=True)
class CheckedTarget:
    """A function or program with what a check found."""

    path: str
    function: str
    share: float | None = None
    """Share of its tests' time with all that it calls, 0 to 1. None: not measured."""
    seconds: float = 0.0
    """Time under its tests, seconds."""
    suggestion: Suggestion | None = None
    reason: str = ""
    judged: bool = True
    """True if the rules were tried on it."""
    cached_from: str = ""
    """Time and place of an earlier run's verdict that was taken. Empty: it was judged now, or not at all."""
    own_share: float | None = None
    """Share of its own lines and the built-ins that they call. None: not measured."""

    def answer(self) -> CheckedFunctionFields:
        """The row of `codeopt check --json`."""
        from codeopt.report.answers import CheckedFunctionFields

        known = {
            **(self.suggestion.row if self.suggestion else {}),
            "path": self.path,
            "function": self.function,
            "reason": self.reason,
            "share": rounded(self.share),
            "cached_from": self.cached_from,
        }
        return CheckedFunctionFields(**known, own_share=rounded(self.own_share), seconds=round(self.seconds, 6))


@dataclass(frozen=True)
class TriedTargets:
    """The functions and programs that were tried, and why others were not."""

    rows: tuple[CheckedTarget, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    not_checked_reason: str = ""
    """Reason why nothing could be looked at. Empty: something was."""
    interpreter: Interpreter | None = None
    stop_reason: str = ""
    """Reason why some targets were not tried. Empty: all were that take enough of the time."""
    left: tuple[Path, ...] = ()
    """Files of targets that were not tried for it."""
    tests_from: str = ""
    """Time of an earlier run of the tests that ranked them, in UTC. Empty: they were run now."""

    @property
    def improved(self) -> int:
        """Number of targets that can be faster."""
        return sum(row.suggestion is not None for row in self.rows)

    def fields(self) -> dict[str, Any]:
        from codeopt.report.answer_fields import PythonFields

        return {
            "python": PythonFields.maybe(self.interpreter),
            "improved": self.improved,
            "functions": tuple(row.answer() for row in self.rows),
            "diagnostics": self.diagnostics,
            "not_checked_reason": self.not_checked_reason,
            "stop_reason": self.stop_reason,
            "tests_from": self.tests_from,
        }


@dataclass(frozen=True)
class ProjectCheck(TriedTargets):
    interrupted: bool = False
    profile: str = ""
    """Name of the profile that ranked the targets. Empty: their tests did."""

    def answer(self) -> CheckJson:
        """The object that `codeopt check --json` prints."""
        from codeopt.report.answers import CheckJson

        return CheckJson(schema="codeopt.check/1", **self.fields(), profile=self.profile)


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
    left_alone: tuple[CheckedTarget, ...]
    """Files and functions that are not looked at, with the reason."""
    unread: str = ""
    """Reason why nothing can be looked at. Empty: something can."""
    stop_reason: str = ""
    """Reason why some files were not read. Empty: all were."""
    left: tuple[Path, ...] = ()
    """Files that were not read for it."""
    scripts: tuple[Path, ...] = ()
    """Files that hold nothing to check: no function, and no program with its cases."""

    def completed(self, found: ProjectCheck | None) -> ProjectCheck:
        """Add what is left alone to what a check found. None: there was nothing to check."""
        found = found or ProjectCheck(not_checked_reason=self.unread)
        left = tuple(dict.fromkeys((*found.left, *self.left)))
        return replace(
            found, rows=(*found.rows, *self.left_alone), stop_reason=found.stop_reason or self.stop_reason, left=left
        )


def listed(part: CheckedPart, limits: ReviewBudget | None = None) -> Listed:
    """List what can be looked at, and what is left alone; nothing is run. Raises UsageError."""
    limits = limits or ReviewBudget()
    repository, everything = whole_files(part.paths)
    targets, skipped = find_targets(everything, repository, part.paths, part.exclude, limits.clock)
    closed = [CheckedTarget(path, "", reason=why) for path, why in everything.closed]
    rows = [CheckedTarget(each.path, each.function, reason=each.reason, judged=each.unread) for each in skipped]
    left = tuple(everything.root / each.path for each in skipped if each.untried)
    known = {each.path for each in targets} | {each.path for each in skipped}
    others = [everything.root / file.path for file in everything.files if not is_test(file.path)]
    scripts = [
        path for path in others if below(path, part.paths) and path.relative_to(everything.root).as_posix() not in known
    ]
    return Listed(
        tuple(targets), (*rows, *closed), why_unread(targets, skipped), limits.out_of_time if left else "", left,
        tuple(scripts),
    )  # fmt: skip


def check(
    part: CheckedPart, targets: Sequence[ReviewTarget], options: ImproveOptions, limits: ReviewBudget, session: Session,
    known: KnownFindings | None = None, profiled: ProfileMatch | None = None,
) -> ProjectCheck:  # fmt: skip
    """Rank the targets by their time and try those that take enough of it. Raises UsageError, NoSandbox.

    known: findings of earlier runs, which are not judged again; None: everything is.
    profiled: their time in production, which decides in place of their tests' time.
    """
    work, ranking, worth = (
        ReviewRun(limits, session.console.aside, session.console.step, known),
        Ranking(tuple(targets)),
        list(targets),
    )
    try:
        limits.clock.check()
        options = isolated(options)
        with temporary_folder("check") as folder:
            ranking = Ranking(profiled.targets) if profiled else rank(options, targets, session, limits.clock)
            worth = [each for each in ranking.targets if _worth(each, part.min_share)]
            # Neither times by size nor hot lines of a result are in the answer.
            told = replace(session, extras=False, traces=ranking.traces)
            work.run(worth, Improver(replace(options, run_dir=folder), told))
    except DeadlineReached:
        work.stop(worth, limits.out_of_time, BUDGET_SPENT)
    except KeyboardInterrupt:
        work.stop(worth, "interrupted", INTERRUPTED)
    nowhere = "the profile has no time in it" if profiled else ranking.untested
    verdicts = work.verdicts()
    less = f"less than {part.min_share:.0%} of the time"
    rows = tuple(
        row_of(target, verdicts, less if target.seconds or target.share else nowhere) for target in ranking.targets
    )
    diagnostics = work.all_diagnostics(ranking.diagnostics)
    not_checked_reason = why_blind(
        ranking.targets, work.looked_at(diagnostics), diagnostics, [each.reason for each in work.skipped]
    )
    untried = {(each.path, each.function) for each in work.left}
    left = [each.file for each in worth if (each.path, each.function) in untried]
    return ProjectCheck(
        rows, diagnostics, not_checked_reason, session.interpreter, "; ".join(work.notices), tuple(dict.fromkeys(left)),
        interrupted=work.failure == INTERRUPTED, profile=profiled.name if profiled else "",
        tests_from=ranking.tests_from,
    )  # fmt: skip


def why_unread(targets: Sequence[ReviewTarget], skipped: Sequence[Skipped]) -> str:
    """Return the reason why no target was found, if files cannot be read. Empty: there are targets or no such files."""
    unread = [] if targets else [f"{each.path}: {each.reason}" for each in skipped if each.unread or each.untried]
    return f"none of {counted(len(unread), 'file')} could be read: {unread[0]}" if unread else ""


def why_blind(
    targets: Sequence[ReviewTarget], judged: int, diagnostics: Sequence[Diagnostic], reasons: Sequence[str]
) -> str:
    """Reason why nothing is known of any target: none was judged, and no test ran one. Empty: something is known, or
    there are no targets."""
    if not targets or judged or any(target.seconds > 0 or target.share for target in targets):
        return ""
    found = dict.fromkeys([*(diagnostic.words for diagnostic in diagnostics), *reasons])
    shown = "; ".join(list(found)[:3]) or "no test runs them"
    return f"none of {len(targets)} functions and programs could be looked at: {shown}"


def _worth(target: ReviewTarget, least: float) -> bool:
    """Return whether to try a target: a program always, as its cases were made to run it, a function by its share."""
    return not target.function or (target.share or 0.0) >= least


def row_of(target: ReviewTarget, verdicts: Verdicts, why_not: str) -> CheckedTarget:
    """The row of a target. why_not: reason why it was not tried."""
    at = (target.path, target.function)
    suggestion, why = verdicts.suggestions.get(at), verdicts.reasons.get(at, "")
    judged = suggestion is not None or bool(why)
    return CheckedTarget(
        target.path, target.function, target.share, target.seconds, suggestion, why if judged else why_not, judged,
        verdicts.before.get(at, ""), target.own_share,
    )  # fmt: skip
