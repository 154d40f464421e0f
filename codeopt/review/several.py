"""`codeopt improve` of a library module or a folder: its functions in turn, within one budget.

Those that take most of their tests' time come first. Each has its own verdict, and one patch has all that fit together.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.analysis.facts import is_hinted
from codeopt.core.budget import Ledger, Usage
from codeopt.core.errors import OutOfTime, UsageError
from codeopt.core.merging import merged
from codeopt.core.options import ImproveOptions
from codeopt.core.program import FileChange, Program, as_source, write_whole
from codeopt.core.run_clock import DeadlineReached
from codeopt.core.run_index import read_run
from codeopt.core.run_store import FunctionRun, SeveralRun
from codeopt.core.session import Session
from codeopt.core.words import counted
from codeopt.engine.improve import require_reachable
from codeopt.report.result import Result, diff_of
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.check import CheckedPart, CheckedTarget, TriedTargets, listed, row_of, why_blind
from codeopt.review.findings.known import text_of
from codeopt.review.ranking import Ranking
from codeopt.review.suggestion import Skipped, Suggestion, best_first
from codeopt.review.surroundings import Improver, rank
from codeopt.review.work import BUDGET_SPENT, INTERRUPTED, Left, ReviewBudget, ReviewRun, saved_suggestion
from codeopt.workloads.function.recording import recorded_calls
from codeopt.workloads.source.functions import ModuleFunctions, read_functions

if TYPE_CHECKING:
    from codeopt.report.answers import ImproveSeveralJson

MIN_SHARE = 0.05
"""Least time under the tests with which a function is tried, as a share of that of the function that takes longest."""
CALLS = "calls.py"
"""Calls file that a model wrote, in the folder of a function's run."""
NO_EVIDENCE = "it has no recorded calls, no doctest and no type hints to be called by"


@dataclass(frozen=True)
class ImprovedSeveral(TriedTargets):
    """Result of an improvement of several functions. Its rows are in the order in which they were tried."""

    results: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Object of `codeopt improve --json` of each function that was tried to its end, by its name."""
    looked_at: int = 0
    """Number of functions of which something is known now: tried, or read by the rules, which know nothing to try."""
    changes: tuple[FileChange, ...] = ()
    """The files with all that was accepted."""
    failure: int = 0
    """Exit status of what ended it early. 0: nothing did."""
    cost_usd: float | None = None
    """Cost of the model, US dollars. None: a price is not known."""
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
    def diff(self) -> str:
        """Return the patch of all. Empty if nothing was accepted."""
        return diff_of(self.changes)

    def answer(self, target: str) -> ImproveSeveralJson:
        """The object that `codeopt improve --json` prints of a module or folder."""
        from codeopt.report.answers import ImproveSeveralJson

        return ImproveSeveralJson(
            schema="codeopt.improve-several/1",
            **self.fields(),
            target=target,
            file=target,
            folder=str(Path.cwd()),
            accepted=bool(self.improved),
            reason=self.reason,
            results={name: dict(result) for name, result in self.results.items()},
            diff=self.diff,
            cost_usd=self.cost_usd,
            seconds=round(self.seconds, 3),
            run=str(self.run.path) if self.run else "",
        )


def find_several(path: Path, limits: ReviewBudget) -> tuple[list[ReviewTarget], list[CheckedTarget]]:
    """Find the functions and programs of a file or below a folder, and the skipped ones with their reasons.

    Paths are relative to the current folder. No code runs. Raises UsageError if nothing is found, OutOfTime if no file
    was read.
    """
    found = listed(CheckedPart((path.resolve(),)), limits)
    targets, left_alone = found.targets, found.left_alone
    if found.stop_reason and not targets:
        raise OutOfTime(f"{found.stop_reason} before a file was read")
    if found.unread:
        raise UsageError(found.unread)
    if not targets:
        reasons = "; ".join(dict.fromkeys(f"{row.path}: {row.reason}" for row in left_alone[:3]))
        raise UsageError(f"{path} has no function that could be improved", hint=reasons)
    root = targets[0].file.parents[len(Path(targets[0].path).parts) - 1]
    here = [replace(target, path=Path(os.path.relpath(target.file)).as_posix()) for target in targets]
    return here, [replace(each, path=Path(os.path.relpath(root / each.path)).as_posix()) for each in left_alone]


def improve_several(
    targets: Sequence[ReviewTarget],
    options: ImproveOptions,
    limits: ReviewBudget,
    session: Session,
    recheck: Callable[[Suggestion, str, str], str],
    keep: Callable[[ReviewTarget, Result], None],
    saved: SeveralRun | None,
    begin: Callable[[], SeveralRun],
) -> ImprovedSeveral:
    """Improve the targets with evidence, as many as the budget allows. Raises UsageError, NoSandbox.

    limits: those of the whole, including the number of functions. recheck: returns the reason why a suggestion is wrong
    in another text of its file. keep: receives each result. saved: the run to resume, None for a new one from `begin`.
    """
    earlier = saved.ledger if saved else Ledger()
    work = ReviewRun(limits, session.console.aside, session.console.step, ledger=Ledger(usage=earlier.usage))
    ranking = Ranking(tuple(targets))
    results: dict[str, Mapping[str, Any]] = {}
    chosen: list[ReviewTarget] = list(targets)
    try:
        limits.clock.check()
        require_reachable(options, session, limits.clock)
        session = replace(session, asks_server=False)  # it has answered
        ranking = rank(options, targets, session, limits.clock)
        chosen = _chosen(ranking.targets)
        saved = saved or begin()
        one = Improver(replace(options, resume=None), replace(session, traces=ranking.traces))
        each_one = _Functions(saved, work, one, results, keep)
        work.run([target for target in chosen if not each_one.take(target)], each_one)
        work.join(recheck)
    except DeadlineReached:
        work.stop(chosen, limits.out_of_time, BUDGET_SPENT)
    except KeyboardInterrupt:
        work.stop(chosen, "interrupted", INTERRUPTED)
    changes = tuple(_joined(work, chosen))
    order = {each.name: at for at, each in enumerate(chosen)}
    targets = sorted(ranking.targets, key=lambda each: order.get(each.name, len(order)))
    diagnostics = work.all_diagnostics(ranking.diagnostics)
    reasons = [each.reason for each in work.skipped]
    not_checked_reason = "" if work.failure else why_blind(ranking.targets, work.looked_at(()), diagnostics, reasons)
    skipped = {(each.path, each.function) for each in work.left}
    verdicts = work.verdicts()
    rows = tuple(row_of(each, verdicts, _why_not(each, ranking.untested)) for each in targets)
    left = tuple(dict.fromkeys(each.file for each in chosen if (each.path, each.function) in skipped))
    return ImprovedSeveral(
        rows,
        diagnostics,
        not_checked_reason,
        session.interpreter,
        "; ".join(work.notices),
        left,
        ranking.tests_from,
        results=results,
        looked_at=work.looked_at(()),
        changes=changes,
        failure=work.failure,
        cost_usd=work.ledger.usage.cost_usd,
        seconds=earlier.earlier_s + limits.clock.seconds,
        run=saved,
    )


@dataclass
class _Functions:
    """Improves the functions of one run, each in its place there; implements work.Improve."""

    run: SeveralRun
    work: ReviewRun
    improve: Improver
    results: dict[str, Mapping[str, Any]]
    keep: Callable[[ReviewTarget, Result], None]

    def take(self, target: ReviewTarget) -> bool:
        """Take what an earlier session of the run has found. False if there is nothing to take."""
        place = self._place(target)
        if not self.run.is_done(place):
            return False
        stored = read_run(place.path)
        try:
            found = saved_suggestion(target, stored) if stored.best else str(stored.result["reason"])
        except (KeyError, TypeError, ValueError, IndexError):  # changed by hand
            return False
        self.results[target.name] = stored.result
        self.work.written[target.name] = text_of(place.path / CALLS) or ""
        self.work.take(target, found)
        return True

    def __call__(self, target: ReviewTarget, left: Left, pay: Callable[[Usage], None]) -> Result:
        place = self._place(target)
        self.improve.session = replace(self.improve.session, runs=lambda options: place)
        result = self.improve(target, left.and_before(place.ledger), pay)
        self.results[target.name] = result.to_json()
        if calls := result.verdict.evidence.calls_text:
            write_whole(place.path / CALLS, calls)
        if not self.work.ended_early(result):
            self.run.end(place)
        self.keep(target, result)
        return result

    def _place(self, target: ReviewTarget) -> FunctionRun:
        return self.run.function(target.name, text_of(target.file) or "")


def _chosen(targets: Sequence[ReviewTarget]) -> list[ReviewTarget]:
    """Programs, functions that take enough time under their tests, and those that may be called without tests."""
    least = MIN_SHARE * max((each.seconds for each in targets), default=0.0)
    measured = [target for target in targets if not target.function or target.seconds > 0 and target.seconds >= least]
    unmeasured = [each for each in targets if each.function and not each.seconds]
    modules = {file: read_functions(file) for file in dict.fromkeys(each.file for each in unmeasured)}
    return [*measured, *(each for each in unmeasured if _has_calls(modules[each.file], each.function))]


def _has_calls(module: ModuleFunctions, name: str) -> bool:
    """Return whether there are calls of a function without tests: recorded calls, a doctest, type hints."""
    function, node = module.find(name), module.named[name][0]
    return bool(recorded_calls(function)) or ">>>" in (ast.get_docstring(node) or "") or is_hinted(node)


def _joined(work: ReviewRun, targets: Sequence[ReviewTarget]) -> Iterator[FileChange]:
    """Each file with its suggestions; one that changes the same lines as a better one is left out, and said."""
    files = {target.path: target.file for target in targets}
    for path in dict.fromkeys(suggestion.path for suggestion in work.suggestions):
        here = best_first([each for each in work.suggestions if each.path == path])
        text, left_out = merged(here[0].original, [each.improved for each in here])
        for number in left_out:
            again = here[number]
            work.suggestions.remove(again)
            reason = "a faster version changes the same lines as another one: the same command again, after that"
            work.skipped.append(Skipped(path, again.function, reason))
        original = here[0].original
        yield FileChange(path, Program(files[path], as_source(original), original), text)


def _why_not(target: ReviewTarget, untested: str) -> str:
    """Reason why a function was not tried."""
    if target.seconds:
        return f"less than {MIN_SHARE:.0%} of the slowest one's test time"
    return f"{untested}, and {NO_EVIDENCE}"
