"""`codeopt improve` of a library module or a folder: its functions one after the other, those first that take most of
their tests' time, within one budget; each with a verdict of its own, and one patch of all that go together."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.analysis.hints import is_hinted
from codeopt.core.budget import Usage
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import UsageError
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.program import FileChange
from codeopt.core.run_clock import DeadlineReached
from codeopt.core.session import Session
from codeopt.report.result import Result, diff_of
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.check import CheckedPart, CheckedTarget, listed, why_blind
from codeopt.review.combine import best_first
from codeopt.review.patch import merged
from codeopt.review.ranking import Ranking
from codeopt.review.suggestion import Skipped, Suggestion, full_name
from codeopt.review.surroundings import Improver, begun, rank
from codeopt.review.work import BUDGET_SPENT, INTERRUPTED, Left, ReviewBudget, ReviewRun
from codeopt.workloads.function.recording.recording import recorded_calls
from codeopt.workloads.source.functions import definition, read_function

if TYPE_CHECKING:
    from codeopt.report.answers import ImproveSeveralJson

MIN_SHARE = 0.05
"""Least time under the tests with which a function is tried, as a share of that of the function that takes longest."""
DEADLINE_S = 900.0
"""Limit of the whole where none is given, seconds."""
NO_EVIDENCE = "it has no recorded calls, no doctest and no type hints to be called by"


@dataclass(frozen=True)
class ImprovedSeveral:
    """Result of an improvement of several functions."""

    rows: tuple[CheckedTarget, ...] = ()
    """The functions in the order in which they were tried, then the others."""
    runs: dict[str, Result] = field(default_factory=dict)
    """Result of each function that was tried to its end, by its name."""
    looked_at: int = 0
    """Number of functions of which something is known now: tried, or read by the rules, which know nothing to try."""
    changes: tuple[FileChange, ...] = ()
    """The files with all that was accepted."""
    shortfalls: tuple[Diagnostic, ...] = ()
    blind: str = ""
    """Reason why nothing could be looked at; empty: something was."""
    stopped: str = ""
    """Reason why some functions were not tried; empty: all were."""
    left: tuple[Path, ...] = ()
    """Files of functions that were not tried for it."""
    failure: int = 0
    """Exit status of what ended it early; 0: nothing did."""
    interpreter: Interpreter | None = None
    tests_from: str = ""
    """Time of an earlier run of the tests that ranked them, in UTC; empty: they were run now."""
    cost_usd: float | None = None
    """Cost of the model, US dollars; None: a price is not known."""

    @property
    def gains(self) -> int:
        """Number of functions with an accepted draft."""
        return sum(row.suggestion is not None for row in self.rows)

    @property
    def diff(self) -> str:
        """The patch of all; empty where nothing was accepted."""
        return diff_of(self.changes)

    def answer(self, target: str) -> ImproveSeveralJson:
        """The object that `codeopt improve --json` prints of a module or folder."""
        from codeopt.report.answer_fields import DiagnosticFields, PythonFields
        from codeopt.report.answers import ImproveSeveralJson

        results = {name: result.to_json() for name, result in self.runs.items()}
        return ImproveSeveralJson(
            schema="codeopt.improve-several/1", target=target, python=PythonFields.maybe(self.interpreter),
            gains=self.gains, functions=[row.answer() for row in self.rows], results=results, diff=self.diff,
            shortfalls=DiagnosticFields.each(self.shortfalls), blind=self.blind, stopped=self.stopped,
            tests_from=self.tests_from, cost_usd=self.cost_usd,
        )  # fmt: skip


def find_several(path: Path) -> tuple[list[ReviewTarget], list[CheckedTarget]]:
    """The functions and programs of a file or below a folder, and what is left alone, with the reason; their paths are
    from the current folder. Nothing is run. Raises UsageError where there is none."""
    targets, left_alone, unread = listed(CheckedPart((path.resolve(),)))
    if unread:
        raise UsageError(unread)
    if not targets:
        reasons = "; ".join(dict.fromkeys(f"{row.path}: {row.reason}" for row in left_alone[:3]))
        raise UsageError(f"{path} has no function that could be improved" + (f" ({reasons})" if reasons else ""))
    root = targets[0].file.parents[len(Path(targets[0].path).parts) - 1]
    here = [replace(each, path=Path(os.path.relpath(each.file)).as_posix()) for each in targets]
    return here, [replace(each, path=Path(os.path.relpath(root / each.path)).as_posix()) for each in left_alone]


def improve_several(
    targets: Sequence[ReviewTarget],
    options: ImproveOptions,
    functions: int | None,
    session: Session,
    recheck: Callable[[Suggestion, str, str], str],
    keep: Callable[[ReviewTarget, Result], None],
) -> ImprovedSeveral:
    """Improve the targets that something is known of, as many as the budget allows. Raises UsageError, NoSandbox.

    functions: number of functions to try, at most. recheck: says why a suggestion is wrong in another text of its file.
    keep: is given each result.
    """
    budget = ReviewBudget(functions, options.max_seconds or DEADLINE_S, options.max_cost)
    work = ReviewRun(budget, session.console.print, session.console.step, started=begun(session))
    ranking = Ranking(tuple(targets))
    results: dict[str, Result] = {}
    chosen: list[ReviewTarget] = list(targets)
    try:
        within = replace(session, open_sandbox=work.clock.within(session.open_sandbox))
        ranking = rank(options, list(targets), within)
        chosen = _chosen(ranking.targets)
        work.run(chosen, _Keeping(Improver(options, replace(session, traces=ranking.traces)), results, keep))
        work.join(recheck)
    except DeadlineReached:
        work.stop(chosen, work.out_of_time, BUDGET_SPENT)
    except KeyboardInterrupt:
        work.stop(chosen, "interrupted", INTERRUPTED)
    changes = tuple(_joined(work, results))
    order = {each.name: at for at, each in enumerate(chosen)}
    rows = sorted(ranking.targets, key=lambda each: order.get(each.name, len(order)))
    shortfalls = (*ranking.shortfalls, *work.shortfalls)
    reasons = [each.reason for each in work.skipped]
    blind = "" if work.failure else why_blind(ranking.targets, work.looked_at(()), shortfalls, reasons)
    skipped = {(each.path, each.function) for each in work.left}
    return ImprovedSeveral(
        tuple(_row(each, work, ranking.untested) for each in rows), results, work.looked_at(()), changes, shortfalls,
        blind, "; ".join(work.notices),
        tuple(dict.fromkeys(each.file for each in chosen if (each.path, each.function) in skipped)), work.failure,
        session.interpreter, ranking.tests_from, work.ledger.usage.cost_usd,
    )  # fmt: skip


@dataclass(frozen=True)
class _Keeping:
    """Improves one target, and keeps the result."""

    improve: Improver
    results: dict[str, Result]
    keep: Callable[[ReviewTarget, Result], None]

    def __call__(self, target: ReviewTarget, left: Left, pay: Callable[[Usage], None]) -> Result:
        found = self.results[target.name] = self.improve(target, left, pay)
        self.keep(target, found)
        return found


def _chosen(targets: Sequence[ReviewTarget]) -> list[ReviewTarget]:
    """Programs, functions that take enough time under their tests, and those that may be called without tests."""
    least = MIN_SHARE * max((each.seconds for each in targets), default=0.0)
    measured = [each for each in targets if not each.function or each.seconds > 0 and each.seconds >= least]
    return [*measured, *(each for each in targets if each.function and not each.seconds and _has_calls(each))]


def _has_calls(target: ReviewTarget) -> bool:
    """Whether something beside tests may say what a function is called with: recorded calls, a doctest, type hints."""
    function = read_function(target.file, target.function)
    node = definition(ast.parse(function.source), function.qualname)
    if node is None:
        return False
    return bool(recorded_calls(function)) or ">>>" in (ast.get_docstring(node) or "") or is_hinted(node)


def _joined(work: ReviewRun, results: Mapping[str, Result]) -> Iterator[FileChange]:
    """Each file with its suggestions; one that changes the same lines as a better one is left out, and said."""
    for path in dict.fromkeys(each.path for each in work.suggestions):
        here = best_first([each for each in work.suggestions if each.path == path])
        text, left_out = merged(here[0].original, [each.improved for each in here])
        for number in left_out:
            again = here[number]
            work.suggestions.remove(again)
            reason = "a faster version changes the same lines as another one: the same command again, after that"
            work.skipped.append(Skipped(path, again.function, reason))
        (read,) = results[full_name(path, here[0].function)].changes
        yield FileChange(path, read.program, text)


def _row(target: ReviewTarget, work: ReviewRun, untested: str) -> CheckedTarget:
    suggestion, why = work.verdict_on(target)
    judged = suggestion is not None or bool(why)
    if not judged:
        why = (
            f"takes less than {MIN_SHARE:.0%} of what the longest takes under the tests"
            if target.seconds
            else f"{untested}, and {NO_EVIDENCE}"
        )
    return CheckedTarget(
        target.path, target.function, target.share, target.seconds, suggestion, why, judged,
        own_share=target.own_share,
    )  # fmt: skip
