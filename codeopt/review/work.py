"""Work of a review: one target after the other is improved within a budget, and verified drafts become suggestions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from codeopt.core.budget import Budget, Ledger, Usage
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import CodeoptError, ModelError, NoSandbox
from codeopt.core.options import ImproveOptions
from codeopt.core.program import read_program
from codeopt.core.run_clock import RunClock
from codeopt.core.run_index import StoredRun
from codeopt.core.step_error import error_in_words
from codeopt.report.result import End, Result
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.findings.known import KnownFinding, KnownFindings
from codeopt.review.nothing_to_try import NothingToTry
from codeopt.review.suggestion import Skipped, Suggestion, combine, full_name
from codeopt_sandbox.errors import SandboxError

BUDGET_SPENT = 6
"""Exit status of a review that ended at its limits."""
INTERRUPTED = 130
"""Exit status of a review that a signal ended."""
PROMPT_REFUSED = (400, 413, 422)
"""HTTP statuses with which a model's server refuses one prompt, not all of them."""
USUAL_S = 900.0
"""Limit of the whole where none is given, seconds."""
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
        return cls(functions, RunClock(given or USUAL_S, began, earlier_s if given else 0.0), options.max_cost)

    @property
    def out_of_time(self) -> str:
        """The limit of time, met, in plain words."""
        return f"{self.clock.out_of_time} (--max-seconds)"


@dataclass(frozen=True)
class Left:
    """Rest of the budget for one improvement. None: no limit."""

    seconds: float | None
    cost_usd: float | None

    def and_before(self, ledger: Ledger) -> Left:
        """Add what an earlier session of the same improvement took, which counts there."""
        return Left(
            None if self.seconds is None else self.seconds + ledger.earlier_s,
            None if self.cost_usd is None else self.cost_usd + (ledger.usage.cost_usd or 0.0),
        )


class Improve(Protocol):
    """A callable that improves one target as `codeopt improve` does. Raises CodeoptError, SandboxError."""

    def __call__(self, target: ReviewTarget, left: Left, pay: Callable[[Usage], None]) -> Result:
        """Improve one target; nothing is written. pay: receives all that a model took, also without a result."""
        ...


@dataclass(frozen=True)
class Verdicts:
    """Knowledge of a review about its targets, by path and function."""

    suggestions: Mapping[tuple[str, str], Suggestion]
    reasons: Mapping[tuple[str, str], str]
    """Target -> reason why there is no suggestion."""
    before: Mapping[tuple[str, str], str]
    """Time at which an earlier run judged what is taken from it."""


@dataclass
class ReviewRun:
    """A review under way; `suggestions`, `skipped` and `notices` are complete after each target."""

    budget: ReviewBudget
    notify: Callable[[str], None] = lambda line: None
    on_step: Callable[[int, int, str], None] = lambda done, total, name: None
    """Called with the number of targets behind, of all, and the name of the present one. See Console.step."""
    known: KnownFindings | None = None
    """Findings of earlier runs. None: everything is judged."""
    suggestions: list[Suggestion] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    """Text of the calls file that a model wrote, by the target's name."""
    skipped: list[Skipped] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    """Tests and other things of judged targets that could not be run."""
    judged: int = 0
    again: list[KnownFinding] = field(default_factory=list)
    """Findings of earlier runs that were taken in place of a verdict."""
    without_drafts: int = 0
    """Targets that were read and for which there was nothing to try; they do not count against a limit."""
    ledger: Ledger = field(default_factory=Ledger)
    left: list[Skipped] = field(default_factory=list)
    """Targets that were not tried, or not to their end, a part of `skipped`."""
    stopped: str = ""
    """Reason why the remaining targets are not tried. Empty: they are."""
    failure: int = 0
    """Exit status of an error that ended the work early or kept part of it from being done. 0: there was none."""

    def run(self, targets: Sequence[ReviewTarget], improve: Improve) -> None:
        """Try the targets one after the other. Raises NoSandbox, KeyboardInterrupt."""
        for number, target in enumerate(targets, 1):
            if reason := self._spent():
                self.stop(targets, reason, self.failure or BUDGET_SPENT)
                return
            self.on_step(number - 1, len(targets), target.name)
            self.notify(f"{number} of {len(targets)}: {target.name}")
            reason = self._try(target, improve)
            if reason:
                self.skipped.append(Skipped(target.path, target.function, reason))
            self.notify(f"{target.name}: {reason or self.suggestions[-1].gain}")
            if self.failure == INTERRUPTED:
                raise KeyboardInterrupt
            if self.stopped:
                self.stop(targets, self.stopped, self.failure)
                return

    def join(self, find_error: Callable[[Suggestion, str, str], str]) -> None:
        """Keep only suggestions that are right together with the others of their file.

        The time limit does not hold here: it is short, and without it nothing is known of two suggestions together.
        find_error: says why a function is not right in a text of its file, by the calls file that a model wrote.
        """

        def in_text(suggestion: Suggestion, text: str) -> str:
            name = full_name(suggestion.path, suggestion.function)
            self.on_step(2, 2, f"all changes of {suggestion.path} together: {suggestion.function}")
            self.notify(f"{name} with all suggestions for its file")
            try:
                return find_error(suggestion, text, self.written.get(name, ""))
            except (CodeoptError, SandboxError) as error:
                return error_in_words(error)

        self.suggestions, alone = combine(self.suggestions, in_text)
        self.skipped += alone

    def stop(self, targets: Sequence[ReviewTarget], reason: str, failure: int) -> None:
        """End the work early, and list the targets that were not tried."""
        known = {(found.path, found.function) for found in self.suggestions}
        known |= {(found.path, found.function) for found in self.skipped}
        left = [target for target in targets if (target.path, target.function) not in known]
        untried = [Skipped(target.path, target.function, f"not tried: {reason}") for target in left]
        self.skipped += untried
        self.left += untried
        self.notices.append(reason)
        self.failure = failure

    def _try(self, target: ReviewTarget, improve: Improve) -> str:
        """Try a target; returns the reason why there is no suggestion, empty: there is one."""
        if self.known and (found := self.known.find(target.file, target.function)):
            return self._take(target, found)
        try:
            result = improve(target, self._left(), self._pay)
        except ModelError as error:
            self.failure = error.exit_status
            if error.status not in PROMPT_REFUSED:
                self.stopped = error_in_words(error)
            return error_in_words(error)
        except NoSandbox:
            raise
        except NothingToTry as error:
            self.without_drafts += 1
            return str(error)
        except CodeoptError as error:
            return error.words
        except SandboxError as error:
            self.failure = NoSandbox.exit_status
            return error_in_words(error)
        return self._add(target, result)

    def _take(self, target: ReviewTarget, known: KnownFinding) -> str:
        """Add what an earlier run has found; returns the reason why there is no suggestion, empty: there is one."""
        self.again.append(known)
        found = known.finding
        self._tell_shortfalls(target, found.judged.verdict.evidence.gaps)
        if not found.judged.improved:
            return f"{found.judged.verdict.reason} ({found.when})"
        self.suggestions.append(
            replace(
                found.judged,
                path=target.path,
                original=read_program(target.file).text,
                improved=known.improved,
                share=found.judged.share if target.share is None else target.rounded_share,
                cached_from=found.when,
            )
        )
        return ""

    def take(self, target: ReviewTarget, found: Suggestion | str) -> None:
        """Add the finding of an earlier session of the same run: a suggestion, or the reason for its absence."""
        self.judged += 1
        if isinstance(found, Suggestion):
            self.suggestions.append(found)
        else:
            self.skipped.append(Skipped(target.path, target.function, found))
        self.notify(f"{target.name}: {found if isinstance(found, str) else found.gain} (of an earlier session)")

    def ended_early(self, result: Result) -> bool:
        """Return whether a limit, an interruption or a failure of the model ended it early."""
        limit = result.end is End.BUDGET and bool(self._spent())
        return not result.accepted and (limit or result.end in (End.INTERRUPTED, End.UNREADABLE, End.FAILED))

    def _add(self, target: ReviewTarget, result: Result) -> str:
        """Add a result; returns the reason why there is no suggestion, empty: there is one."""
        self.judged += 1
        if self.known:
            self.known.keep(target.file, target.function, result, target.share)
        evidence = result.verdict.evidence
        self._tell_shortfalls(target, evidence.gaps)
        if result.accepted:
            self.suggestions.append(Suggestion.of(target.path, target.function, result, target.rounded_share))
            self.written[target.name] = evidence.calls_text
        if result.end is End.INTERRUPTED:
            self.failure = INTERRUPTED
        if result.accepted:
            return ""
        if self.ended_early(result):
            self.left.append(Skipped(target.path, target.function, result.reason))
        if result.end is not End.BUDGET or result.stop_reason in result.reason:
            return result.reason
        return f"{result.reason} ({result.stop_reason})"

    def _tell_shortfalls(self, target: ReviewTarget, diagnostics: Sequence[Diagnostic]) -> None:
        name = full_name(target.path, target.function)
        self.diagnostics += [replace(each, message=f"{name}: {each.message}") for each in diagnostics]

    def all_diagnostics(self, general: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return those of all targets together, and those of one target that differ from each of them."""
        known = {(each.cause, each.hint) for each in general if each.cause}
        return (*general, *(each for each in self.diagnostics if (each.cause, each.hint) not in known))

    def verdicts(self) -> Verdicts:
        """Return what is known of each target by now."""
        return Verdicts(
            {suggestion.at: suggestion for suggestion in reversed(self.suggestions)},
            {(each.path, each.function): each.reason for each in reversed(self.skipped)},
            {each.finding.judged.at: each.finding.when for each in reversed(self.again)},
        )

    def looked_at(self, diagnostics: Sequence[Diagnostic]) -> int:
        """Number of targets of which something is known now. That there is nothing to try says nothing where there are
        diagnostics: the calls of the tests that could not run may say otherwise."""
        return self.judged + len(self.again) + (0 if diagnostics else self.without_drafts)

    def _pay(self, usage: Usage) -> None:
        self.ledger = self.ledger.add(usage)

    def _left(self) -> Left:
        seconds, cost = self.budget.clock.left, self.budget.cost_usd
        return Left(
            None if seconds is None else max(MIN_LEFT_S, seconds),
            None if cost is None else max(MIN_LEFT_USD, cost - (self.ledger.usage.cost_usd or 0.0)),
        )

    def _spent(self) -> str:
        budget = self.budget
        if budget.functions is not None and self.judged >= budget.functions:
            return f"the limit of {budget.functions} functions is reached (--max-functions)"
        if budget.clock.is_over:
            return budget.out_of_time
        return self.ledger.spent(Budget(cost_usd=budget.cost_usd))


def saved_suggestion(target: ReviewTarget, run: StoredRun) -> Suggestion:
    """Make a suggestion of an accepted run that was saved. Raises KeyError, TypeError, ValueError or IndexError if it
    is broken."""
    from codeopt.report.answer_fields import read_verdict

    assert run.best is not None
    best = run.saved.history.candidates[run.result["best_round"]]
    texts, task, verdict = (run.original.text, run.best.text), run.result["task"], read_verdict(run.result)
    return Suggestion(target.path, target.function, *texts, task, verdict, best.sentences, share=target.rounded_share)
