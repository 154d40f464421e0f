"""Target after target through the loop and the judge, within a budget: what was verified becomes a suggestion."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from codeopt.core.budget import Budget, Ledger, Usage
from codeopt.core.diagnostic import Shortfall
from codeopt.core.errors import CodeoptError, ModelError, NoSandbox
from codeopt.report import result as report
from codeopt.report.result import End, Result
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.combine import combine
from codeopt.review.suggestion import Skipped, Suggestion, full_name
from codeopt_sandbox.errors import SandboxError

BUDGET_SPENT = 6
ONLY_THIS = (400, 413, 422)
"""HTTP statuses with which a model's server refuses one prompt, not all of them."""


@dataclass(frozen=True)
class ReviewBudget:
    """Of a whole review; None is no limit."""

    functions: int | None = None
    """That are judged."""
    seconds: float | None = None
    cost_usd: float | None = None


@dataclass(frozen=True)
class Left:
    """What one improvement may still spend."""

    seconds: float | None
    cost_usd: float | None


class Improve(Protocol):
    """One improvement, as `codeopt improve` makes it. Raises CodeoptError."""

    def __call__(self, target: ReviewTarget, left: Left, pay: Callable[[Usage], None]) -> Result:
        """The result; nothing is written. pay: is told of all that a model took, also where there is no result."""
        ...


@dataclass
class ReviewRun:
    """A review under way; `suggestions`, `skipped` and `notices` are always whole."""

    budget: ReviewBudget
    notify: Callable[[str], None] = lambda line: None
    started: float = field(default_factory=time.monotonic)
    suggestions: list[Suggestion] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    """Names of targets -> the calls file that a model wrote for them."""
    skipped: list[Skipped] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    shortfalls: list[Shortfall] = field(default_factory=list)
    """What could not be run of what was judged."""
    judged: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    """What all models together have cost."""
    stopped: str = ""
    """Why what is left is not tried."""
    failure: int = 0
    """Exit status of what ended the work early, or kept part of it from being done."""

    def run(self, targets: Sequence[ReviewTarget], improve: Improve) -> None:
        """Try each in turn."""
        for number, target in enumerate(targets, 1):
            if reason := self._spent():
                self.stop(targets, reason, self.failure or BUDGET_SPENT)
                return
            self.notify(f"{number} of {len(targets)}: {target.name}")
            if reason := self._try(target, improve):
                self.skipped.append(Skipped(target.path, target.function, reason))
            if self.stopped:
                self.stop(targets, self.stopped, self.failure)
                return

    def join(self, wrong: Callable[[Suggestion, str, str], str]) -> None:
        """Leave only what is right together with all else of its file. It is not held to the time limit, since it is
        short, and without it nothing could be said of a file with two suggestions applied.

        wrong: why a function is not right in a text of its file, by the calls file that a model wrote.
        """

        def in_text(found: Suggestion, text: str) -> str:
            name = full_name(found.path, found.function)
            self.notify(f"{name} with all suggestions for its file")
            try:
                return wrong(found, text, self.written.get(name, ""))
            except (CodeoptError, SandboxError) as error:
                return str(error)

        self.suggestions, alone = combine(self.suggestions, in_text)
        self.skipped += alone

    def stop(self, targets: Sequence[ReviewTarget], reason: str, failure: int) -> None:
        """Leave it at what there is; what was not tried is listed."""
        known = {(found.path, found.function) for found in self.suggestions}
        known |= {(found.path, found.function) for found in self.skipped}
        left = [target for target in targets if (target.path, target.function) not in known]
        self.skipped += [Skipped(target.path, target.function, f"not tried: {reason}") for target in left]
        self.notices.append(reason)
        self.failure = failure

    def _try(self, target: ReviewTarget, improve: Improve) -> str:
        """Why there is no suggestion; empty when there is one."""
        try:
            result = improve(target, self._left(), self._pay)
        except ModelError as error:
            self.failure = error.exit_status
            if error.status not in ONLY_THIS:
                self.stopped = f"the model failed: {error}"
            return f"the model failed: {error}"
        except NoSandbox:
            raise
        except CodeoptError as error:
            return str(error)
        except SandboxError as error:
            self.failure = NoSandbox.exit_status
            return f"the sandbox failed: {error}"
        self.judged += 1
        name = full_name(target.path, target.function)
        self.shortfalls += [replace(each, what=f"{name}: {each.what}") for each in result.shortfalls]
        if result.accepted:
            self.suggestions.append(suggestion(target, result))
            self.written[target.name] = result.facts.get("calls_text", "")
        if result.end is End.INTERRUPTED:
            raise KeyboardInterrupt
        if result.accepted:
            return ""
        return f"{result.reason} ({result.stopped})" if result.end is End.BUDGET else result.reason

    def _pay(self, usage: Usage) -> None:
        self.ledger = self.ledger.add(usage)

    def _left(self) -> Left:
        seconds, cost = self.budget.seconds, self.budget.cost_usd
        return Left(
            None if seconds is None else max(1.0, seconds - (time.monotonic() - self.started)),
            None if cost is None else max(0.0001, cost - (self.ledger.cost_usd or 0.0)),
        )

    def _spent(self) -> str:
        budget = self.budget
        if budget.functions is not None and self.judged >= budget.functions:
            return f"the limit of {budget.functions} functions is reached (--max-functions)"
        if budget.seconds is not None and time.monotonic() - self.started >= budget.seconds:
            return f"the time limit of {budget.seconds:g} s is reached (--max-seconds)"
        return self.ledger.spent(Budget(cost_usd=budget.cost_usd))


def suggestion(target: ReviewTarget, result: Result) -> Suggestion:
    """What an accepted result says of a target."""
    program, best = result.program, result.best
    assert best is not None
    return Suggestion(
        path=target.path,
        function=target.function,
        original=program.text,
        improved=program.as_file(best.source),
        task=result.task,
        speedup=report.speedup(best.comparison) if best.comparison else {},
        evidence=result.facts.get("evidence") or _of_cases(result),
        growth=result.growth,
        changes=best.changes or tuple(filter(None, [best.summary])),
        caveats=best.caveats,
        share=None if target.share is None else round(target.share, 4),
    )


def _of_cases(result: Result) -> dict[str, object]:
    """What a program's behaviour is known by, in the words of functions.compare.describe."""
    cases = len(result.history.original.outcomes)
    return {"calls": 0, "sources": {"cases": cases}, "line_coverage": None, "left_out": {}, "tests": 0}
