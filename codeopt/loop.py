"""The whole algorithm: draft -> run, compare, profile -> critique -> refine, until nothing is left to improve.

Self-Refine (Madaan et al. 2023) with a judge. A wrong candidate is feedback too. What is returned is the
original unless a candidate is right on every case and better with statistical confidence, twice: in its round, and
when it is confirmed with fresh timings and with held-out cases.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from codeopt.budget import Budget, Ledger, Usage
from codeopt.history import Candidate, History
from codeopt.judge import Judge
from codeopt.proposers import Proposer
from codeopt.tasks import Task, none_better, standing
from sandbox.compare import Decision

CLOSE = 0.98
"""Of two candidates whose scores are this close the one with the smaller change is preferred."""
NOTHING_LEFT = "nothing left to improve"
MAX_CONFIRMATIONS = 3
"""How many candidates are confirmed before none is believed."""


@dataclass(frozen=True)
class Confirmation:
    """What the last comparison has found."""

    reason: str
    """Why `best` was accepted, or why nothing was."""
    best: Candidate | None = None
    """With its confirmed figures; None when nothing was accepted."""


Saver = Callable[["RefineLoop"], None]


@dataclass
class RefineLoop:
    """One improvement under way; `history` and `ledger` are always whole, so it can be saved or stopped at any time."""

    proposer: Proposer
    task: Task
    judge: Judge
    budget: Budget
    history: History
    ledger: Ledger
    save: Saver = lambda loop: None
    """Called after each round."""
    on_usage: Callable[[Usage], None] = lambda usage: None
    """Told of all that is paid for."""
    ask_reader: Callable[[Candidate, Candidate], Candidate] | None = None
    """Asks a reader about a candidate that was confirmed, and the original; None where none is asked."""
    stopped: str = ""
    """Why no further round was run."""
    finished: bool = False
    """The proposer has nothing more to offer."""

    def run(self) -> None:
        """Rounds until the critique finds nothing left to improve or the budget is spent."""
        while not (reason := self.ledger.spent(self.budget)):
            critique = self.proposer.critique(self.history)
            self._spend(critique.usage)
            self.history = self.history.with_critique(critique.text)
            if critique.exhausted or self.task.is_sufficient(critique, self.history):
                self.finished = True
                reason = f"no further draft by the {self.proposer.name}" if critique.exhausted else NOTHING_LEFT
                break
            draft = self.proposer.refine(self.history)
            self._spend(draft.usage)
            candidate = self.judge.measure(draft, self.history)
            self._spend(candidate.usage)
            self.history = self.history.add(self._placed(candidate))
            self.ledger = self.ledger.next_round() if draft.counts_as_round else self.ledger
            self.save(self)
        self.stopped = reason

    def _placed(self, candidate: Candidate) -> Candidate:
        """With what the task itself measures of it."""
        return replace(candidate, standing=standing(self.task, candidate, self.history.original))

    def _spend(self, usage: Usage) -> None:
        self.ledger = self.ledger.add(usage)
        self.on_usage(usage)

    def confirm(self) -> Confirmation:
        """The best candidate, confirmed; or none, and why."""
        if len(self.history.candidates) == 1:
            found = f"{self.proposer.name} found nothing to try" if self.finished else "nothing was tried"
            return Confirmation(found)
        reason = self._undecided() or none_better(self.task)
        for candidate in list(self.ranked())[:MAX_CONFIRMATIONS]:
            confirmed = self._placed(self.judge.confirm(candidate))
            problem = self.task.is_acceptable(confirmed, self.history.original)
            if not problem and self.ask_reader:
                confirmed = self.ask_reader(confirmed, self.history.original)
                self._spend(confirmed.usage)
                confirmed = self._placed(confirmed)
                problem = self.task.is_acceptable(confirmed, self.history.original)
            if not problem:
                return Confirmation(f"round {candidate.round}: {candidate.summary}", confirmed)
            reason = f"round {candidate.round} was not confirmed: {problem}"
        return Confirmation(reason)

    def _undecided(self) -> str:
        """Of the drafts that seem better and could not be told to be so in the time there is, the one that seems best;
        empty where there is none."""
        compared = [(c, c.comparison) for c in self.history.candidates[1:] if c.correct and c.comparison]
        unsure = [pair for pair in compared if pair[1].decision is Decision.UNDECIDED and pair[1].ratio > 1]
        if not unsure:
            return ""
        candidate, comparison = max(unsure, key=lambda pair: pair[1].ratio)
        return f"round {candidate.round} seems {comparison.ratio:.2f}x as fast, but that is {comparison.reason}"

    def ranked(self) -> Iterator[Candidate]:
        """Acceptable candidates: the one that the proposer prefers, then the best first; among those that are about
        as good, one without caveats, then the smallest change first."""
        original = self.history.original
        scored = [(s, c) for c in self.history.candidates[1:] if (s := self.task.score(c, original)) is not None]
        preferred = self.proposer.preferred(self.history)
        for pair in [pair for pair in scored if pair[1] is preferred]:
            scored.remove(pair)
            yield pair[1]
        while scored:
            top = max(score for score, _ in scored)
            close = [pair for pair in scored if pair[0] >= top * CLOSE]
            best = min(close, key=lambda pair: (bool(pair[1].caveats), changed_lines(original.source, pair[1].source)))
            scored.remove(best)
            yield best[1]


def changed_lines(old: str, new: str) -> int:
    """How many lines a diff between the two adds and takes away."""
    diff = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    return sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in diff)
