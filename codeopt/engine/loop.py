"""The whole algorithm: draft -> run, compare, profile -> critique -> refine, until nothing is left to improve.

Self-Refine (Madaan et al. 2023) with a judge. A wrong candidate is feedback too. Which drafts the next one is made from
is a search's to say. What is returned is the original unless a candidate is right on every case and better with
statistical confidence, twice: in its round, and when it is confirmed with fresh timings and with held-out cases.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from codeopt.core.budget import Budget, Effort, Ledger, Usage
from codeopt.core.history import Candidate, Critique, History
from codeopt.core.proposer import Proposer, variants
from codeopt.core.run_clock import RunClock
from codeopt.core.words import gain
from codeopt.engine.best_of_k import BestOfK, DraftResult
from codeopt.engine.headroom import no_headroom
from codeopt.engine.judge import Judge
from codeopt.engine.searches import DEFAULT, Move, Position, Search, Stop, open_search, view
from codeopt.tasks import Task
from codeopt_sandbox.compare import Decision

CONFIRMATION = 1.3
"""Estimated time of a confirmation, as a multiple of what the verdict in the round took."""
CLOSE = 0.98
"""Ratio of two scores from which they count as equal, and the smaller change is preferred."""
CONFIRMATION_SHARES = (0.8, 0.1, 0.1)
"""Shares of the stated error (0.01) of the candidates that are confirmed, one after another, before none is believed:
together they are the whole (Bonferroni). The first has most of it, for it is hardly ever refused."""


class LoopStage(StrEnum):
    """Stages of an improvement as they are shown; in each round drafts are written and judged."""

    READ = "read"
    BASELINE = "baseline"
    PROFILE = "profile"
    DRAFT = "draft"
    JUDGE = "judge"
    CONFIRM = "confirm"


@dataclass(frozen=True)
class Confirmation:
    """The outcome of the last comparison."""

    reason: str
    """Why `best` was accepted, or why nothing was."""
    best: Candidate | None = None
    """With its confirmed figures; None when nothing was accepted."""
    seconds: float = 0.0
    """Wall time of all candidates that were looked at again, seconds."""
    unfinished: bool = False
    """Ended before it was known whether the best candidate can be believed; another sitting can tell."""
    refused: tuple[Candidate, ...] = ()
    """Candidates that the model which compares did not prefer, with what was said of them."""


@dataclass(frozen=True)
class SearchPlan:
    """How drafts are searched for."""

    search: Search = field(default_factory=lambda: open_search(DEFAULT))
    candidates: int = 1
    """Number of drafts of each critique."""
    chains: int = 2
    """Number of independent chains, where the search has several."""
    patience: int | None = None
    """Rounds in a row without a gain that end a chain; 0: none do; None: as the search has it."""
    seed: int = 0
    floor: bool = True
    """Ask after each better draft whether any other could be worth having."""


Saver = Callable[["RefineLoop"], None]


@dataclass(frozen=True)
class _Place:
    """Place of a round's drafts in the search."""

    history: History
    """Candidates before the round."""
    rounds: int
    """Rounds of the budget before it."""
    move: Move
    answers: str
    asked: Usage
    """Usage of the critique, which is told with the first draft."""

    def of(self, result: DraftResult, effort: Effort) -> Candidate:
        """The candidate with its place; what costs no round is for all chains to go on from."""
        draft, candidate = result.draft, result.candidate
        turn, chain = (self.rounds + 1, self.move.chain) if draft.counts_as_round else (0, 0)
        effort = candidate.effort + effort.asked(draft.usage).asked(candidate.usage)
        return replace(
            candidate, turn=turn, chain=chain, parents=self.move.parents, answers=self.answers, effort=effort
        )


@dataclass
class RefineLoop:
    """One improvement under way; `history` and `ledger` are always whole, so it can be saved or stopped at any time."""

    proposer: Proposer
    task: Task
    judge: Judge
    budget: Budget
    history: History
    ledger: Ledger
    plan: SearchPlan = field(default_factory=SearchPlan)
    save: Saver = lambda loop: None
    """Called after each round."""
    keep: Saver = lambda loop: None
    """Called when the verdict on a draft is reached: before it is profiled, and before the round ends."""
    clock: RunClock = field(default_factory=RunClock)
    """Clock of this sitting."""
    on_usage: Callable[[Usage], None] = lambda usage: None
    """Receives the usage of each request that is paid for."""
    ask_reader: Callable[[Candidate, Candidate], Candidate] | None = None
    """Asks a reader about a candidate that was confirmed, and the original; None where none is asked."""
    stopped: str = ""
    """Why no further round was run."""
    finished: bool = False
    """The proposer has nothing more to offer."""
    on_stage: Callable[[LoopStage], None] = lambda stage: None
    """Called when a draft is asked for, and when it is there to be judged."""
    told: int = 1
    """Number of candidates that the user was told of, the original among them."""
    _headroom: dict[int, str] = field(default_factory=dict)
    """Why a round's draft leaves nothing to gain, by its number; empty where it leaves something."""

    def run(self) -> None:
        """Rounds until nothing is left to improve, no round can pay, or the budget is spent."""
        while not (reason := self.spent or self._no_headroom()):
            move = self._next_move()
            if isinstance(move, Stop):
                self.finished, reason = True, move.reason
                break
            shown = view(self.history, move)
            self.on_stage(LoopStage.DRAFT)
            critique = self.proposer.critique(shown)
            self._spend(critique.usage)
            shown = shown.with_critique(critique.text)
            answers = self._keep(critique, shown.last)
            if critique.exhausted:
                self.finished, reason = True, f"no further draft by the {self.proposer.name}"
                break
            if self.task.is_sufficient(critique, shown):
                self.history = self.history.changed(replace(self.history.candidates[shown.last.round], settled=True))
                continue
            self._round(shown, move, answers, critique.usage)
            self.save(self)
        self.stopped = reason

    @property
    def spent(self) -> str:
        """The limit that is met, in plain words; the time that a confirmation needs counts as spent."""
        return self.ledger.spent(self.budget) or (self.budget.out_of_time if self.clock.is_over else "")

    def _next_move(self) -> Move | Stop:
        plan = self.plan
        return plan.search.next_move(Position(self.history, self.task, plan.chains, plan.patience, plan.seed))

    def _keep(self, critique: Critique, newest: Candidate) -> str:
        """The critique stands at the candidate that it is of. Where the one there was answered already, another answers
        this: it is returned, for the drafts to carry."""
        of = self.history.candidates[newest.round]
        if any(c.parents[-1:] == (of.round,) for c in self.history.candidates):
            return critique.text if critique.text != of.critique else ""
        self.history = self.history.changed(replace(of, critique=critique.text))
        return ""

    def _round(self, shown: History, move: Move, answers: str, asked: Usage) -> None:
        """The drafts of one critique. What the critique took is told with the first of them."""
        place = _Place(self.history, self.ledger.rounds, move, answers, asked)
        best_of_k = BestOfK(
            self.judge, self.history, shown, single=self.plan.candidates == 1,
            keep=lambda results: self._reached(results, place),
        )  # fmt: skip
        for draft in variants(self.proposer, shown, self.plan.candidates):
            self._spend(draft.usage)
            self.on_stage(LoopStage.JUDGE)
            best_of_k.add(draft)
        results = best_of_k.select()
        for result in results:
            self._spend(result.candidate.usage)
        self._reached(results, place)

    def _reached(self, results: Sequence[DraftResult], place: _Place) -> None:
        """The drafts of a round stand in the history from the moment that their verdict is reached."""
        history = place.history
        for at, result in enumerate(results):
            effort = Effort() if at else Effort().asked(place.asked)
            history = history.add(self._placed(place.of(result, effort)))
        self.history = history
        counts = any(result.draft.counts_as_round for result in results)
        self.ledger = replace(self.ledger, rounds=place.rounds + counts)
        self.clock.reserve(self._confirmation_s())
        self.keep(self)

    def _confirmation_s(self) -> float:
        """Estimated seconds of a confirmation, by what the verdict on the best draft took; 0: there is none."""
        best = next(self.ranked(), None)
        return 0.0 if best is None else CONFIRMATION * (best.effort.cases_s + best.effort.timing_s)

    def _placed(self, candidate: Candidate) -> Candidate:
        """With what the task itself measures of it."""
        return replace(candidate, standing=self.task.task_score(candidate, self.history.original))

    def _no_headroom(self) -> str:
        """Why nothing can be faster than the best so far by what is worth having; empty where that is not known."""
        if not self.plan.floor or not self.task.needs_time:
            return ""
        best = next(self.ranked(), None)
        if best is None:
            return ""
        if best.round not in self._headroom:
            self._headroom[best.round] = no_headroom(self.judge, best)
        return self._headroom[best.round]

    def _spend(self, usage: Usage) -> None:
        self.ledger = self.ledger.add(usage)
        self.on_usage(usage)

    def confirm(self) -> Confirmation:
        """The best candidate, confirmed; or none, and why."""
        if len(self.history.candidates) == 1:
            found = f"{self.proposer.name} found nothing to try"
            return Confirmation(found if self.finished else f"no draft was judged to its end: {self.stopped}")
        started = time.monotonic()
        reason = self._undecided() or self.task.nothing_accepted
        refused: list[Candidate] = []
        for candidate, share in zip(list(self.ranked()), CONFIRMATION_SHARES, strict=False):
            confirmed = self._placed(self.judge.confirm(candidate, share))
            problem = self.task.why_not(confirmed, self.history.original)
            if not problem and self.ask_reader:
                confirmed = self.ask_reader(confirmed, self.history.original)
                self._spend(confirmed.usage)
                confirmed = self._placed(confirmed)
                problem = self.task.why_not(confirmed, self.history.original)
                refused += [confirmed] if problem else []
            if not problem:
                best = f"round {candidate.round}: {candidate.summary}"
                return Confirmation(best, confirmed, time.monotonic() - started, refused=tuple(refused))
            reason = f"round {candidate.round} was not confirmed: {problem}"
        return Confirmation(reason, seconds=time.monotonic() - started, refused=tuple(refused))

    def unconfirmed(self, why: str) -> Confirmation:
        """The best candidate, whose confirmation was ended."""
        best = next(self.ranked(), None)
        if best is None:
            return Confirmation(f"no draft was found better before it ended: {why}", unfinished=True)
        figure = f" {gain(best.comparison.ratio, best.comparison.clock)} in its round" if best.comparison else " best"
        reason = f"round {best.round} is{figure}, which is not confirmed: {why}"
        return Confirmation(reason, seconds=self.clock.steps.get("confirmation", 0.0), unfinished=True)

    def _undecided(self) -> str:
        """The draft that seems best of those that could not be told to be better in the time there is; empty where
        there is none."""
        compared = [(c, c.comparison) for c in self.history.candidates[1:] if c.correct and c.comparison]
        unsure = [pair for pair in compared if pair[1].decision is Decision.UNDECIDED and pair[1].ratio > 1]
        if not unsure:
            return ""
        candidate, comparison = max(unsure, key=lambda pair: pair[1].ratio)
        return (
            f"round {candidate.round} seems {gain(comparison.ratio, comparison.clock)}, but that is {comparison.reason}"
        )

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
            best = min(close, key=lambda pair: (bool(pair[1].caveats), changed_lines(original, pair[1])))
            scored.remove(best)
            yield best[1]


def changed_lines(original: Candidate, candidate: Candidate) -> int:
    """Number of lines that a diff between the two adds and takes away."""
    old, new = original.revision, candidate.revision
    pairs = [(old[path].splitlines(), new[path].splitlines()) for path in new.changed_files(old)]
    diff = [line for pair in pairs for line in difflib.unified_diff(*pair, n=0, lineterm="")]
    return sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in diff)
