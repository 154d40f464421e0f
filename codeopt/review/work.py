"""Work of a review: one target after the other is improved within a budget, and verified drafts become suggestions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from codeopt.core.budget import Budget, Ledger, Usage
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import CodeoptError, ModelError, NoSandbox
from codeopt.core.program import read_program
from codeopt.core.run_clock import RunClock
from codeopt.core.words import Speedup
from codeopt.engine.nothing_to_try import NothingToTry
from codeopt.report.result import End, Result
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.combine import combine
from codeopt.review.findings.known import KnownFinding, KnownFindings
from codeopt.review.suggestion import Skipped, Suggestion, evidence_of, full_name
from codeopt_sandbox.errors import SandboxError

BUDGET_SPENT = 6
"""Exit status of a review that ended at its limits."""
INTERRUPTED = 130
"""Exit status of a review that a signal ended."""
PROMPT_REFUSED = (400, 413, 422)
"""HTTP statuses with which a model's server refuses one prompt, not all of them."""
MIN_LEFT_S = 1.0
"""Time that an improvement gets at least, seconds."""
MIN_LEFT_USD = 0.0001
"""Money that an improvement gets at least, US dollars."""


@dataclass(frozen=True)
class ReviewBudget:
    """Limits of a whole review; None: no limit."""

    functions: int | None = None
    """Functions that are judged at most."""
    seconds: float | None = None
    """Time, seconds of the clock."""
    cost_usd: float | None = None
    """Cost of the model, US dollars."""


@dataclass(frozen=True)
class Left:
    """Rest of the budget for one improvement; None: no limit."""

    seconds: float | None
    cost_usd: float | None


class Improve(Protocol):
    """A callable that improves one target as `codeopt improve` does. Raises CodeoptError, SandboxError."""

    def __call__(self, target: ReviewTarget, left: Left, pay: Callable[[Usage], None]) -> Result:
        """Improve one target; nothing is written. pay: receives all that a model took, also without a result."""
        ...


@dataclass
class ReviewRun:
    """A review under way; `suggestions`, `skipped` and `notices` are complete after each target."""

    budget: ReviewBudget
    notify: Callable[[str], None] = lambda line: None
    on_step: Callable[[int, int, str], None] = lambda done, total, name: None
    """Told how many targets are behind, of how many, and the name of the present one."""
    known: KnownFindings | None = None
    """Findings of earlier runs; None: everything is judged."""
    started: float = field(default_factory=time.monotonic)
    suggestions: list[Suggestion] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    """Text of the calls file that a model wrote, by the target's name."""
    skipped: list[Skipped] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    shortfalls: list[Diagnostic] = field(default_factory=list)
    """Tests and other things of judged targets that could not be run."""
    judged: int = 0
    """Targets that were judged so far."""
    again: list[KnownFinding] = field(default_factory=list)
    """Findings of earlier runs that were taken in place of a verdict."""
    without_drafts: int = 0
    """Targets that were read and for which there was nothing to try; they do not count against a limit."""
    ledger: Ledger = field(default_factory=Ledger)
    """Cost of all models together."""
    left: list[Skipped] = field(default_factory=list)
    """Targets that were not tried, or not to their end, a part of `skipped`."""
    stopped: str = ""
    """Reason why the remaining targets are not tried; empty: they are."""
    failure: int = 0
    """Exit status of an error that ended the work early or kept part of it from being done; 0: there was none."""

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
            self.notify(f"{target.name}: {reason or gain_of(self.suggestions[-1])}")
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

        def in_text(found: Suggestion, text: str) -> str:
            name = full_name(found.path, found.function)
            self.notify(f"{name} with all suggestions for its file")
            try:
                return find_error(found, text, self.written.get(name, ""))
            except (CodeoptError, SandboxError) as error:
                return str(error)

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
                self.stopped = f"the model failed: {error}"
            return f"the model failed: {error}"
        except NoSandbox:
            raise
        except NothingToTry as error:
            self.without_drafts += 1
            return str(error)
        except CodeoptError as error:
            return str(error)
        except SandboxError as error:
            self.failure = NoSandbox.exit_status
            return f"the sandbox failed: {error}"
        return self._add(target, result)

    def _take(self, target: ReviewTarget, known: KnownFinding) -> str:
        """Add what an earlier run has found; returns the reason why there is no suggestion, empty: there is one."""
        self.again.append(known)
        found = known.finding
        self._tell_shortfalls(target, found.shortfalls_found)
        if not found.accepted:
            return f"{found.reason} ({found.judged})"
        self.suggestions.append(known_suggestion(target, known))
        return ""

    def _add(self, target: ReviewTarget, result: Result) -> str:
        """Add a result; returns the reason why there is no suggestion, empty: there is one."""
        self.judged += 1
        if self.known:
            self.known.keep(target.file, target.function, result, target.share)
        self._tell_shortfalls(target, result.shortfalls)
        if result.accepted:
            self.suggestions.append(suggestion(target, result))
            self.written[target.name] = result.facts.get("calls_text", "")
        if result.end is End.INTERRUPTED:
            self.failure = INTERRUPTED
        if result.accepted:
            return ""
        if result.end is End.INTERRUPTED or (result.end is End.BUDGET and self._spent()):
            self.left.append(Skipped(target.path, target.function, result.reason))
        if result.end is not End.BUDGET or result.stopped in result.reason:
            return result.reason
        return f"{result.reason} ({result.stopped})"

    def _tell_shortfalls(self, target: ReviewTarget, found: Sequence[Diagnostic]) -> None:
        name = full_name(target.path, target.function)
        self.shortfalls += [replace(each, what=f"{name}: {each.what}") for each in found]

    def verdict_on(self, target: ReviewTarget) -> tuple[Suggestion | None, str]:
        """The suggestion for a target, or the reason why there is none; neither: it was not tried."""
        at = (target.path, target.function)
        found = next((each for each in self.suggestions if (each.path, each.function) == at), None)
        return found, next((each.reason for each in self.skipped if (each.path, each.function) == at), "")

    def looked_at(self, shortfalls: Sequence[Diagnostic]) -> int:
        """Number of targets of which something is known now. That there is nothing to try says nothing where there are
        shortfalls: the calls of the tests that could not run may say otherwise."""
        return self.judged + len(self.again) + (0 if shortfalls else self.without_drafts)

    @property
    def clock(self) -> RunClock:
        """Clock of the whole review."""
        return RunClock(self.budget.seconds, self.started)

    @property
    def out_of_time(self) -> str:
        """The limit of time, met, in plain words."""
        return f"{Budget(seconds=self.budget.seconds).out_of_time} (--max-seconds)"

    def _pay(self, usage: Usage) -> None:
        self.ledger = self.ledger.add(usage)

    def _left(self) -> Left:
        seconds, cost = self.budget.seconds, self.budget.cost_usd
        return Left(
            None if seconds is None else max(MIN_LEFT_S, seconds - (time.monotonic() - self.started)),
            None if cost is None else max(MIN_LEFT_USD, cost - (self.ledger.usage.cost_usd or 0.0)),
        )

    def _spent(self) -> str:
        budget = self.budget
        if budget.functions is not None and self.judged >= budget.functions:
            return f"the limit of {budget.functions} functions is reached (--max-functions)"
        if budget.seconds is not None and time.monotonic() - self.started >= budget.seconds:
            return self.out_of_time
        return self.ledger.spent(Budget(cost_usd=budget.cost_usd))


def gain_of(found: Suggestion) -> str:
    """The gain of a suggestion in a few words; that it is better where no time was compared."""
    return Speedup.from_json(dict(found.speedup)).gain if found.speedup else f"better by {found.task}"


def suggestion(target: ReviewTarget, result: Result) -> Suggestion:
    """Make a suggestion of an accepted result."""
    best, (change,) = result.best, result.changes
    from codeopt.report.answer_fields import SpeedupFields

    assert best is not None
    return Suggestion(
        path=target.path,
        function=target.function,
        original=change.program.text,
        improved=change.text,
        task=result.task,
        speedup=SpeedupFields.maybe(best.comparison),
        evidence=evidence_of(result),
        growth=result.growth,
        changes=best.changes or tuple(filter(None, [best.summary])),
        caveats=best.caveats,
        share=None if target.share is None else round(target.share, 4),
    )


def known_suggestion(target: ReviewTarget, known: KnownFinding) -> Suggestion:
    """Make a suggestion of what an earlier run has found."""
    found = known.finding
    return Suggestion(
        path=target.path,
        function=target.function,
        original=read_program(target.file).text,
        improved=known.improved,
        task=found.task,
        speedup=found.figures,
        evidence=found.evidence,
        growth=found.growth,
        changes=found.changes,
        caveats=found.caveats_found,
        share=found.share if target.share is None else round(target.share, 4),
        judged_before=found.judged,
    )
