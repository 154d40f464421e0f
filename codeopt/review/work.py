"""One loop over functions, for each command of several: within one budget every target gets a row of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from codeopt.core.console import Console
from codeopt.core.errors import BUDGET_SPENT, INTERRUPTED, CodeoptError, Diagnostic, ModelError, NoSandbox
from codeopt.core.interpreter import Interpreter
from codeopt.core.model import Budget, Ledger, Usage
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, read_program
from codeopt.core.run_clock import DeadlineReached, RunClock
from codeopt.core.session import Session
from codeopt.core.step_error import error_in_words
from codeopt.engine.improve import improve
from codeopt.report.result import End, Result
from codeopt.review.findings.known import KnownFindings
from codeopt.review.nothing_to_try import NothingToTry, require_draft
from codeopt.review.ranking import Ranking
from codeopt.review.suggestion import FunctionRow, ReviewTarget, RowState, Suggestion, combine
from codeopt_sandbox.errors import SandboxError

STOPS_ALL = (ModelError, NoSandbox, SandboxError)
"""Errors that would also stop the other targets."""
MIN_LEFT_S = 1.0
"""Time that an improvement gets at least, seconds."""
MIN_LEFT_USD = 0.0001
"""Money that an improvement gets at least, US dollars."""


@dataclass(frozen=True)
class ReviewBudget:
    """Limits of a whole review. None: no limit."""

    functions: int | None = None
    """Functions that are judged at most."""
    clock: RunClock = field(default_factory=RunClock)
    """The one clock of the whole, from the start of the command."""
    cost_usd: float | None = None

    @classmethod
    def of(cls, options: ImproveOptions, functions: int | None, began: float, earlier_s: float = 0.0) -> ReviewBudget:
        """Make the limits that a user gives, or the default ones.

        began: start of the command by `time.monotonic()`. earlier_s: seconds of the sessions before this one, which
        count if a limit is given.
        """
        given = options.max_seconds
        # limit of the whole where none is given, seconds
        return cls(functions, RunClock(given or 900.0, began, earlier_s if given else 0.0), options.max_cost)

    @property
    def out_of_time(self) -> str:
        """The limit of time, met, in plain words."""
        return f"{self.clock.out_of_time} (--max-seconds)"


@dataclass(frozen=True)
class Tried:
    """What became of the functions of a command."""

    rows: tuple[FunctionRow, ...] = ()
    """Those that were to be tried, in that order, then the others."""
    diagnostics: tuple[Diagnostic, ...] = ()
    not_checked_reason: str = ""
    """Reason why nothing could be looked at. Empty: something was."""
    interpreter: Interpreter | None = None
    notices: tuple[str, ...] = ()
    """Reasons why some targets were not tried. Empty: all were that take enough of the time."""
    failure: int = 0
    """Exit status of what ended the work early or kept part of it from being done. 0: nothing did."""
    tests_from: str = ""
    """Time of an earlier run of the tests that ranked them, in UTC. Empty: they were run now."""
    cost_usd: float | None = None
    """Cost of the model, US dollars. None: a price is not known."""

    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        return tuple(row.suggestion for row in self.rows if row.suggestion)

    @property
    def improved(self) -> int:
        """Number of targets that can be faster."""
        return len(self.suggestions)

    @property
    def stop_reason(self) -> str:
        return "; ".join(self.notices)

    @property
    def left(self) -> tuple[Path, ...]:
        """Files of targets that a limit left."""
        return tuple(dict.fromkeys(row.target.file for row in self.rows if row.is_left))

    def fields(self) -> dict[str, Any]:
        """The fields of TriedJson that have other names here."""
        return {"python": self.interpreter, "functions": tuple(row.answer() for row in self.rows)}


@dataclass(frozen=True)
class Left:
    """Rest of the budget for one improvement. None: no limit."""

    seconds: float | None
    cost_usd: float | None
    pay: Callable[[Usage], None]
    """Receives all that a model took, also without a result."""

    def and_before(self, ledger: Ledger) -> Left:
        """Add what an earlier session of the same improvement took, which counts there."""
        seconds = None if self.seconds is None else self.seconds + ledger.earlier_s
        cost_usd = None if self.cost_usd is None else self.cost_usd + (ledger.usage.cost_usd or 0.0)
        return replace(self, seconds=seconds, cost_usd=cost_usd)


@dataclass
class Improver:
    """One improvement as `codeopt improve` makes it, within the rest of the budget."""

    options: ImproveOptions
    session: Session

    def __call__(self, target: ReviewTarget, left: Left) -> Result:
        """Improve one target; only the run's own folder is written. Raises CodeoptError, SandboxError."""
        named = Target(target.file, target.function)
        require_draft(named, self.options)
        session = replace(self.session, on_usage=left.pay, limit_s=left.seconds)
        result = improve(named, replace(self.options, max_cost=left.cost_usd), session)
        self.session = replace(self.session, asks_server=False)  # it has answered
        return result.require_ended() if isinstance(result.failure, STOPS_ALL) else result.require_drafts()


@dataclass
class FunctionLoop:
    """The work on several functions under way; `rows` and `notices` are complete after each target."""

    budget: ReviewBudget
    targets: Sequence[ReviewTarget] = ()
    """Those that are tried, in this order."""
    console: Console = field(default_factory=lambda: Console(quiet=True))
    known: KnownFindings | None = None
    """Findings of earlier runs. None: everything is judged."""
    ledger: Ledger = field(default_factory=Ledger)
    ranking: Ranking = field(default_factory=Ranking)
    left_out: Sequence[FunctionRow] = ()
    rows: dict[tuple[str, str], FunctionRow] = field(default_factory=dict)
    """Row of each target that is behind, by its path and function."""
    notices: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Tests and other things of judged targets that could not be run."""
    failure: int = 0
    """See Tried."""

    def choose(self, ranking: Ranking, why_not: Callable[[ReviewTarget], str] = lambda target: "") -> None:
        """Put the targets into their order. why_not: returns the reason not to try one, empty for the others."""
        self.ranking = ranking
        reasons = {target: why_not(target) for target in ranking.targets}
        self.targets = [target for target, why in reasons.items() if not why]
        self.left_out = [FunctionRow(target, why, state=RowState.LEFT_OUT) for target, why in reasons.items() if why]

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Work that a limit of time or its user may end: the targets without a row get one that says so."""
        try:
            yield
        except DeadlineReached:
            self.stop(self.budget.out_of_time, BUDGET_SPENT)
        except KeyboardInterrupt:
            self.stop("interrupted", INTERRUPTED)

    def each(self) -> Iterator[tuple[str, ReviewTarget]]:
        """Yield each target without a row, with its number as in `2 of 5`, until something ends the work."""
        targets = [target for target in self.targets if target.at not in self.rows]
        for number, target in enumerate(targets, 1):
            if reason := self._spent():
                self.stop(reason, self.failure or BUDGET_SPENT)
            if self.notices:
                return
            self.console.step(number - 1, len(targets), target.name)
            yield f"{number} of {len(targets)}", target

    def run(self, improve: Callable[[ReviewTarget, Left], Result]) -> None:
        """Try the targets one after the other. improve: as Improver. Raises NoSandbox, KeyboardInterrupt."""
        for number, target in self.each():
            self.console.aside(f"{number}: {target.name}")
            self._add(self._try(target, improve))
            if self.failure == INTERRUPTED:
                raise KeyboardInterrupt

    def take(self, row: FunctionRow) -> None:
        """Add the row of an earlier session of the same run."""
        self._add(row, " (of an earlier session)")

    def join(self, find_error: Callable[[Suggestion, str], str]) -> None:
        """Keep only suggestions that are right together with the others of their file.

        The time limit does not hold here: it is short, and without it nothing is known of two suggestions together.
        find_error: says why a function is not right in a text of its file.
        """

        def in_text(suggestion: Suggestion, text: str) -> str:
            self.console.step(2, 2, f"all changes of {suggestion.path} together: {suggestion.function}")
            self.console.aside(f"{suggestion.name} with all suggestions for its file")
            try:
                return find_error(suggestion, text)
            except (CodeoptError, SandboxError) as error:
                return error_in_words(error)

        kept, dropped = combine([row.suggestion for row in self.rows.values() if row.suggestion], in_text)
        for each in kept:
            self.rows[each.at] = replace(self.rows[each.at], suggestion=each)
        for each, reason in dropped:
            self.drop(each, reason)

    def drop(self, suggestion: Suggestion, reason: str) -> None:
        """Suggest it no longer."""
        self.rows[suggestion.at] = replace(self.rows[suggestion.at], suggestion=None, reason=reason)

    def stop(self, reason: str, failure: int) -> None:
        """End the work early, with a row for each target that was not tried."""
        for target in self.targets:
            self.rows.setdefault(target.at, FunctionRow(target, f"not tried: {reason}", state=RowState.NOT_TRIED))
        self.notices.append(reason)
        self.failure = failure

    def tried(self, interpreter: Interpreter | None) -> Tried:
        """Return what is known of all targets by now."""
        general = self.ranking.diagnostics  # of all targets together; those of one follow where they say more
        known = {(each.cause, each.hint) for each in general if each.cause}
        diagnostics = (*general, *(each for each in self.diagnostics if (each.cause, each.hint) not in known))
        rows = (*(self.rows[target.at] for target in self.targets), *self.left_out)
        return Tried(
            rows, diagnostics, _why_blind(rows, diagnostics), interpreter, tuple(self.notices), self.failure,
            self.ranking.tests_from, self.ledger.usage.cost_usd,
        )  # fmt: skip

    def ended_early(self, result: Result) -> bool:
        """Return whether a limit, an interruption or a failure of the model ended it early."""
        limit = result.end is End.BUDGET and bool(self._spent())
        return not result.accepted and (limit or result.end in (End.INTERRUPTED, End.UNREADABLE, End.FAILED))

    def _try(self, target: ReviewTarget, improve: Callable[[ReviewTarget, Left], Result]) -> FunctionRow:
        if self.known and (found := self.known.find(target.file, target.function)):
            row, judged = found.finding, found.finding.judged
            self._note_gaps(target, judged.verdict.evidence.gaps)
            if not judged.improved:
                reason = f"{judged.verdict.reason} ({row.when})"
                return FunctionRow(target, reason, state=RowState.KNOWN, cached_from=row.when)
            share = judged.share if target.share is None else target.rounded_share
            text = read_program(target.file).text
            suggestion = replace(
                judged, path=target.path, original=text, improved=found.improved, share=share, cached_from=row.when
            )
            return FunctionRow(target, suggestion=suggestion, state=RowState.KNOWN, cached_from=row.when)
        seconds, cost = self.budget.clock.left, self.budget.cost_usd
        seconds = None if seconds is None else max(MIN_LEFT_S, seconds)
        cost = None if cost is None else max(MIN_LEFT_USD, cost - (self.ledger.usage.cost_usd or 0.0))
        left = Left(seconds, cost, self._pay)
        try:
            return self._of_result(target, improve(target, left))
        except ModelError as error:
            self.failure = error.exit_status
            # HTTP statuses with which a model's server refuses one prompt, not all of them
            if error.status not in (400, 413, 422):
                self.stop(error_in_words(error), self.failure)
            return FunctionRow(target, error_in_words(error))
        except NoSandbox:
            raise
        except NothingToTry as error:
            return FunctionRow(target, str(error), state=RowState.NO_DRAFT)
        except CodeoptError as error:
            return FunctionRow(target, error.words)
        except SandboxError as error:
            self.failure = NoSandbox.exit_status
            return FunctionRow(target, error_in_words(error))

    def _add(self, row: FunctionRow, when: str = "") -> None:
        self.rows[row.target.at] = row
        outcome = row.suggestion.gain if row.suggestion else row.reason
        self.console.aside(f"{row.target.name}: {outcome}{when}")

    def _of_result(self, target: ReviewTarget, result: Result) -> FunctionRow:
        if self.known:
            self.known.keep(target.file, target.function, result, target.share)
        self._note_gaps(target, result.verdict.evidence.gaps)
        if result.end is End.INTERRUPTED:
            self.failure = INTERRUPTED
        if result.accepted:
            suggestion = Suggestion.of(target.path, target.function, result, target.rounded_share)
            return FunctionRow(target, suggestion=suggestion, state=RowState.JUDGED)
        state = RowState.ENDED_EARLY if self.ended_early(result) else RowState.JUDGED
        says_limit = result.end is not End.BUDGET or result.stop_reason in result.reason
        reason = result.reason if says_limit else f"{result.reason} ({result.stop_reason})"
        return FunctionRow(target, reason, None, state)

    def _note_gaps(self, target: ReviewTarget, gaps: Sequence[Diagnostic]) -> None:
        self.diagnostics += [replace(each, message=f"{target.name}: {each.message}") for each in gaps]

    def _pay(self, usage: Usage) -> None:
        self.ledger = self.ledger.add(usage)

    def _spent(self) -> str:
        budget = self.budget
        judged = sum(row.state in (RowState.JUDGED, RowState.ENDED_EARLY) for row in self.rows.values())
        if budget.functions is not None and judged >= budget.functions:
            return f"the limit of {budget.functions} functions is reached (--max-functions)"
        if budget.clock.is_over:
            return budget.out_of_time
        return self.ledger.spent(Budget(cost_usd=budget.cost_usd))


def _why_blind(rows: Sequence[FunctionRow], diagnostics: Sequence[Diagnostic]) -> str:
    """Reason why nothing is known of any target: none was judged, and no test ran one. Empty: something is known, or
    there are no targets."""
    # That there is nothing to try says nothing where the calls of tests that could not run may say otherwise.
    looked_at = {RowState.JUDGED, RowState.ENDED_EARLY, RowState.KNOWN, *([] if diagnostics else [RowState.NO_DRAFT])}
    if not rows or any(row.state in looked_at or row.target.seconds > 0 or row.target.share for row in rows):
        return ""
    reasons = [row.reason for row in rows if row.state is not RowState.LEFT_OUT]
    found = dict.fromkeys([*(diagnostic.words for diagnostic in diagnostics), *reasons])
    shown = "; ".join(list(found)[:3]) or "no test runs them"
    return f"none of {len(rows)} functions and programs could be looked at: {shown}"
