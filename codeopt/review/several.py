"""`codeopt improve` of a library module or a folder: its functions in turn, within one budget.

Those that take most of their tests' time come first. Each has its own verdict, and one patch has all that fit together.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.analysis.facts import is_hinted
from codeopt.core.errors import OutOfTime, UsageError
from codeopt.core.model import Ledger
from codeopt.core.options import ImproveOptions
from codeopt.core.program import FileChange, Program, as_source, write_whole
from codeopt.core.revision import merged
from codeopt.core.run_index import read_run
from codeopt.core.run_store import FunctionRun, SeveralRun
from codeopt.core.session import Session
from codeopt.core.words import counted
from codeopt.engine.improve import require_reachable
from codeopt.report.answers import read_verdict
from codeopt.report.result import Result, diff_of
from codeopt.review.check import CheckedPart, listed
from codeopt.review.findings.known import KnownFindings, text_of
from codeopt.review.ranking import Ranking, rank
from codeopt.review.suggestion import FunctionRow, ReviewTarget, RowState, Suggestion, best_first
from codeopt.review.work import FunctionLoop, Improver, Left, ReviewBudget, Tried
from codeopt.workloads.function.recording import recorded_calls
from codeopt.workloads.source.functions import read_functions

if TYPE_CHECKING:
    from codeopt.report.answers import ImproveSeveralJson

MIN_SHARE = 0.05
"""Least time under the tests with which a function is tried, as a share of that of the function that takes longest."""
CALLS = "calls.py"
"""Calls file that a model wrote, in the folder of a function's run."""


@dataclass(frozen=True)
class ImprovedSeveral(Tried):
    """Result of an improvement of several functions."""

    results: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Object of `codeopt improve --json` of each function that was tried to its end, by its name."""
    changes: tuple[FileChange, ...] = ()
    """The files with all that was accepted."""
    seconds: float = 0.0
    """Wall time, earlier sessions included."""
    run: SeveralRun | None = None
    """The saved run. None: no function was begun."""

    @property
    def reason(self) -> str:
        """The outcome in a few words."""
        tried = counted(sum(row.judged for row in self.rows), "function")
        return f"{self.improved} of {tried} faster" if self.improved else f"no faster version found for {tried}"

    @property
    def is_refused(self) -> bool:
        """Return whether each function was refused, with its reason."""
        looked_at = (RowState.JUDGED, RowState.ENDED_EARLY, RowState.NO_DRAFT)
        return not self.failure and not any(row.state in looked_at for row in self.rows)

    @property
    def diff(self) -> str:
        """Return the patch of all. Empty if nothing was accepted."""
        return diff_of(self.changes)

    def answer(self, target: str) -> ImproveSeveralJson:
        """The object that `codeopt improve --json` prints of a module or folder."""
        from codeopt.report.answers import ImproveSeveralJson, gather

        return gather(
            ImproveSeveralJson,
            self,
            schema="codeopt.improve-several/1",
            **self.fields(),
            target=target,
            file=target,
            folder=str(Path.cwd()),
            accepted=bool(self.improved),
            seconds=round(self.seconds, 3),
            run=str(self.run.path) if self.run else "",
        )


def find_several(path: Path, limits: ReviewBudget) -> tuple[list[ReviewTarget], list[FunctionRow]]:
    """Find the functions and programs of a file or below a folder, and the skipped ones with their reasons.

    Paths are relative to the current folder. No code runs. Raises UsageError if nothing is found, OutOfTime if no file
    was read.
    """
    found = listed(CheckedPart((path.resolve(),)), limits)
    if found.notices and not found.targets:
        raise OutOfTime(f"{found.notices[0]} before a file was read")
    if found.unread:
        raise UsageError(found.unread)
    if not found.targets:
        reasons = "; ".join(dict.fromkeys(f"{row.path}: {row.reason}" for row in found.left_alone[:3]))
        raise UsageError(f"{path} has no function that could be improved", hint=reasons)

    def here(target: ReviewTarget) -> ReviewTarget:
        return replace(target, path=Path(os.path.relpath(target.file)).as_posix())

    return [here(each) for each in found.targets], [replace(row, target=here(row.target)) for row in found.left_alone]


def improve_several(
    work: FunctionLoop,
    options: ImproveOptions,
    session: Session,
    recheck: Callable[[Suggestion, str], str],
    known: KnownFindings | None,
    saved: SeveralRun | None,
    begin: Callable[[], SeveralRun],
) -> ImprovedSeveral:
    """Improve the targets with evidence, as many as the budget allows. Raises UsageError, NoSandbox.

    work: with the targets and the limits of the whole. recheck: returns the reason why a suggestion is wrong in another
    text of its file. known: keeps each result. saved: the run to resume, None for a new one from `begin`.
    """
    earlier, clock = saved.ledger if saved else Ledger(), work.budget.clock
    work.ledger = Ledger(usage=earlier.usage)
    results: dict[str, Mapping[str, Any]] = {}
    with work.limited():
        clock.check()
        require_reachable(options, session, clock)
        session = replace(session, asks_server=False)  # it has answered
        ranking = rank(options, work.targets, session, clock)
        work.choose(ranking, _why_not(ranking))
        saved = saved or begin()
        one = Improver(replace(options, resume=None), replace(session, traces=ranking.traces))
        each_one = _Functions(saved, work, one, results, known)
        for target in work.targets:
            each_one.take(target)
        work.run(each_one)
        work.join(recheck)
    changes = _joined(work)
    found = work.tried(session.interpreter)
    if found.failure or any(row.state is RowState.NO_DRAFT for row in found.rows):
        found = replace(found, not_checked_reason="")
    seconds = earlier.earlier_s + clock.seconds
    return ImprovedSeveral(**vars(found), results=results, changes=changes, seconds=seconds, run=saved)


@dataclass
class _Functions:
    """Improves the functions of one run, each in its place there."""

    run: SeveralRun
    work: FunctionLoop
    improve: Improver
    results: dict[str, Mapping[str, Any]]
    known: KnownFindings | None

    def take(self, target: ReviewTarget) -> None:
        """Take what an earlier session of the run has found, if it has."""
        place = self._place(target)
        if not self.run.is_done(place):
            return
        stored, suggestion = read_run(place.path), None
        result = stored.result
        try:
            reason = str(result["reason"])
            if stored.best:
                best = stored.saved.history.candidates[result["best_round"]]
                verdict, calls = read_verdict(result), text_of(place.path / CALLS) or ""
                verdict = replace(verdict, evidence=replace(verdict.evidence, calls_text=calls))
                suggestion = Suggestion(
                    target.path, target.function, stored.original.text, stored.best.text, result["task"], verdict,
                    best.sentences, share=target.rounded_share,
                )  # fmt: skip
        except (KeyError, TypeError, ValueError, IndexError):  # changed by hand
            return
        self.results[target.name] = result
        self.work.take(FunctionRow(target, "" if suggestion else reason, suggestion, RowState.JUDGED))

    def __call__(self, target: ReviewTarget, left: Left) -> Result:
        place = self._place(target)
        self.improve.session = replace(self.improve.session, runs=lambda options: place)
        result = self.improve(target, left.and_before(place.ledger))
        self.results[target.name] = result.to_json()
        if calls := result.verdict.evidence.calls_text:
            write_whole(place.path / CALLS, calls)
        if not self.work.ended_early(result):
            self.run.end(place)
        if self.known:
            self.known.keep(target.file, target.function, result, target.share)
        return result

    def _place(self, target: ReviewTarget) -> FunctionRun:
        return self.run.function(target.name, text_of(target.file) or "")


def _why_not(ranking: Ranking) -> Callable[[ReviewTarget], str]:
    """Leave out functions that take too little time under their tests, and those that nothing shows how to call."""
    least = MIN_SHARE * max((each.seconds for each in ranking.targets), default=0.0)
    unmeasured = [each for each in ranking.targets if each.function and not each.seconds]
    modules = {file: read_functions(file) for file in dict.fromkeys(each.file for each in unmeasured)}

    def why_not(target: ReviewTarget) -> str:
        if not target.function or target.seconds and target.seconds >= least:
            return ""
        if target.seconds:
            return f"less than {MIN_SHARE:.0%} of the slowest one's test time"
        function = modules[target.file].find(target.function)
        node = modules[target.file].named[target.function][0]
        if recorded_calls(function) or ">>>" in (ast.get_docstring(node) or "") or is_hinted(node):
            return ""
        return f"{ranking.untested}, and it has no recorded calls, no doctest and no type hints to be called by"

    return why_not


def _joined(work: FunctionLoop) -> tuple[FileChange, ...]:
    """Each file with its suggestions; one that changes the same lines as a better one is left out, and said."""
    by_file: dict[Path, list[Suggestion]] = {}
    for row in work.rows.values():
        if row.suggestion:
            by_file.setdefault(row.target.file, []).append(row.suggestion)
    changes = []
    for file, suggestions in by_file.items():
        here = best_first(suggestions)
        original = here[0].original
        text, left_out = merged(original, [each.improved for each in here])
        for number in left_out:
            reason = "a faster version changes the same lines as another one: the same command again, after that"
            work.drop(here[number], reason)
        changes.append(FileChange(here[0].path, Program(file, as_source(original), original), text))
    return tuple(changes)
