"""The whole algorithm: draft -> run, compare, profile -> critique -> refine, until nothing is left to improve.

Self-Refine (Madaan et al. 2023) with a judge. A wrong candidate is also feedback. A search chooses the drafts that the
next one is made from. The result is the original unless a candidate is right on every case and better with statistical
confidence, twice: in its round, and in the confirmation with fresh timings and held-out cases. A draft after which
nothing else would be tried is confirmed in its round: it was chosen by no timing, so that one comparison, at the
error rate of the confirmation, says as much.
"""

from __future__ import annotations

import difflib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from codeopt.core.history import Candidate, Critique, Draft, History, Proposer, Step
from codeopt.core.model import Budget, Effort, Ledger, Usage
from codeopt.core.run_clock import RunClock
from codeopt.core.step_error import StepError
from codeopt.core.words import counted, gain
from codeopt.engine.judge import Judge, is_same_program, more_pairs
from codeopt.engine.next_steps import no_headroom
from codeopt.engine.searches import DEFAULT, Move, Position, Search, Stop, open_search, view
from codeopt.report.verdict import NOT_CONFIRMED as UNCONFIRMED
from codeopt.report.verdict import is_screened, so_far, word_of
from codeopt.tasks import Task
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.outcome import Caveat, CaveatKind
from codeopt_sandbox.sequential_test import FAR, FAR_PAIRS

CONFIRMATION = 3.0
"""Estimated time of a confirmation with the fewest pairs that decide, as a multiple of what these and the checks took
in the round. It makes inputs of its own, which the original also runs on: 2.7 and 3.0 times (a function, a program)."""
CONFIRMATION_SHARES = (0.8, 0.1, 0.1)
"""Shares of the stated error rate (0.01) for candidates that are confirmed in turn until one passes.

Their sum is the whole (Bonferroni). The first has the largest share, as it rarely fails.
"""


class LoopStage(StrEnum):
    """Stages of an improvement as they are shown. In each round a change is written and verified."""

    READ = "read"
    BASELINE = "original"
    PROFILE = "profile"
    DRAFT = "change"
    JUDGE = "verify"
    CONFIRM = "confirm"


TYPICAL_TIMES: Mapping[str, float] = {
    LoopStage.BASELINE: 1.0, LoopStage.PROFILE: 0.5, LoopStage.DRAFT: 0.1, LoopStage.JUDGE: 1.5, LoopStage.CONFIRM: 2.0
}  # fmt: skip
"""Times of the stages over that of the original's, of scripts, functions and commands with the built-in rules."""


NOT_CONFIRMED = Caveat(CaveatKind.EVIDENCE, "", "", f"{UNCONFIRMED}: run it again without --quick")


@dataclass(frozen=True)
class Confirmation:
    """The outcome of the last comparison."""

    reason: str
    """Reason why `best` was accepted, or why no candidate was."""
    best: Candidate | None = None
    """Accepted candidate with its confirmed figures. None if no candidate was accepted."""
    seconds: float = 0.0
    """Wall time of all candidates that were looked at again, seconds."""
    unfinished: bool = False
    """True if the run ended before the best candidate was confirmed. A later session can confirm it."""
    refused: tuple[Candidate, ...] = ()
    """Candidates that the judge model did not prefer, with its reasons."""
    next_step: str = ""
    """Advice if pairs could not decide. Empty if they did."""


@dataclass(frozen=True)
class SearchPlan:
    """Parameters of the search for candidates."""

    search: Search = field(default_factory=lambda: open_search(DEFAULT))
    chains: int = 2
    """Number of independent chains, if the search has several."""
    patience: int | None = None
    """Rounds in a row without a gain that end a chain. 0: none do. None: as the search has it."""
    seed: int = 0
    floor: bool = True
    """Ask after each better draft whether any other could be worth having."""
    quick: bool = False
    """No draft is confirmed."""


@dataclass(frozen=True)
class Ending:
    """Why no further round was run, as far as that is known."""

    stopped: str = ""
    """The reason in words."""
    limit: str = ""
    """Limit that ended the rounds or the confirmation, by its field of Budget."""
    failure: StepError | None = None
    """The error of a step that ended the run."""
    finished: bool = False
    """The proposer has nothing more to offer."""
    unreadable: str = ""
    """Reason why the model's last replies could not be used. Empty if they could."""


class Unrecorded:
    """Receives what happens in a loop, and keeps nothing of it."""

    def stage(self, loop: RefineLoop, stage: LoopStage) -> None:
        """A draft is asked for, or is there to be judged."""

    def verdict(self, loop: RefineLoop) -> None:
        """A step of judging a draft has ended, or its verdict is reached, before it is profiled."""

    def after_round(self, loop: RefineLoop) -> None:
        """A round has ended, its profile included."""

    def usage(self, usage: Usage) -> None:
        """A request is paid for."""


@dataclass(frozen=True)
class _Place:
    """Place of a round's draft in the search."""

    history: History
    rounds: int
    """Rounds of the budget before it."""
    move: Move
    answers: str
    asked: Usage
    """Usage of the critique, which is reported with the draft."""

    def of(self, draft: Draft, candidate: Candidate) -> Candidate:
        """Return the candidate with its place. One that is not a round belongs to no chain: all chains
        continue from it.
        """
        turn, chain = (self.rounds + 1, self.move.chain) if not draft.screening_only else (0, 0)
        return replace(
            candidate, round=len(self.history.candidates), turn=turn, chain=chain, parents=self.move.parents,
            answers=self.answers, effort=candidate.effort.asked(self.asked).asked(draft.usage).asked(candidate.usage),
        )  # fmt: skip


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
    recorder: Unrecorded = field(default_factory=Unrecorded)
    clock: RunClock = field(default_factory=RunClock)
    """Clock of this session."""
    ask_reader: Callable[[Candidate, Candidate], Candidate] | None = None
    """Asks a reader about a candidate that was confirmed, and the original. None: no reader."""
    ending: Ending = Ending()
    told: int = 1
    """Number of candidates that were shown to the user, the original included."""
    _unread: int = 0
    """Replies in a row without a program."""
    _headroom: dict[int, str] = field(default_factory=dict)
    """Number of a round -> reason why its candidate leaves no gain. Empty if it leaves some."""

    def run(self) -> None:
        """Run rounds until no improvement is left, no round can pay, or the budget is spent.

        Candidates of an earlier session that were not judged to their end come first.
        """
        plan = self.plan
        for candidate in filter(self.judge.is_unfinished, self.history.candidates[1:]):
            self._judge_again(candidate)
        while not (reason := self.spent or self._no_headroom()):
            move = plan.search.next_move(Position(self.history, self.task, plan.chains, plan.patience, plan.seed))
            if isinstance(move, Stop):
                self.ending, reason = replace(self.ending, finished=True), move.reason
                break
            shown = view(self.history, move)
            self.recorder.stage(self, LoopStage.DRAFT)
            critique = self.proposer.critique(shown)
            self._spend(critique.usage)
            shown = shown.with_critique(critique.text)
            answers = self._keep(critique, shown.last)
            if critique.exhausted:
                self.ending = replace(self.ending, finished=True)
                reason = f"no further change by the {self.proposer.name}"
                break
            if not critique.draft and self.task.is_sufficient(critique, shown):
                self._settle(self.history.candidates[shown.last.round])
                continue
            self._round(shown, move, answers, critique)
            newest = self.history.last
            # A verdict with a draft is on that draft, and believed once it is measured: one request in place of two.
            gains = self.task.score(newest, self.history.original) is not None
            if critique.draft and self.task.is_sufficient(critique, self.history) and gains:
                self._settle(newest)
            self.recorder.after_round(self)
            if self.ending.unreadable:
                reason = self.ending.unreadable
                break
        self.ending = replace(self.ending, stopped=reason)

    def _settle(self, candidate: Candidate) -> None:
        self.history = self.history.changed(replace(candidate, settled=True))

    def _judge_again(self, candidate: Candidate) -> None:
        """Judge a draft of an earlier session from the step that was not finished, its pairs from the first one."""
        earlier = replace(self.history, candidates=self.history.candidates[: candidate.round])
        draft = Draft(candidate.revision, candidate.summary, candidate.changes, model=candidate.model)

        def again(found: Candidate) -> Candidate:
            return self._placed(
                replace(
                    found, turn=candidate.turn, parents=candidate.parents, chain=candidate.chain,
                    answers=candidate.answers, critique=candidate.critique, effort=candidate.effort + found.effort,
                )
            )  # fmt: skip

        def keep(part: Candidate) -> None:
            self.history = self.history.changed(again(part))
            self.told = min(self.told, candidate.round)
            self._reserve(next(self.ranked(), None))
            self.recorder.verdict(self)

        self.recorder.stage(self, LoopStage.JUDGE)
        if candidate.correct and candidate.step in (None, Step.TIMING, Step.TESTS):
            fresh = replace(candidate, comparison=None, second=None, step=None, effort=Effort())
            found = self.judge.finish(fresh, draft, earlier, keep)
        else:
            found = self.judge.measure(draft, earlier, keep)
        keep(found)
        self.recorder.after_round(self)

    @property
    def spent(self) -> str:
        """The limit that is met, in plain words; the time that a confirmation needs counts as spent."""
        return self.ledger.spent(self.budget) or (self.budget.out_of_time if self.clock.is_over else "")

    def _keep(self, critique: Critique, newest: Candidate) -> str:
        """Store the critique at its candidate and return an empty text.

        If that candidate was already answered with another critique, nothing is stored. The new critique is returned,
        and its candidates carry it.
        """
        of = self.history.candidates[newest.round]
        if any(c.parents[-1:] == (of.round,) for c in self.history.candidates):
            return critique.text if critique.text != of.critique else ""
        self.history = self.history.changed(replace(of, critique=critique.text))
        return ""

    def _round(self, shown: History, move: Move, answers: str, critique: Critique) -> None:
        """Run the draft that answers a critique, whose usage is reported with it."""
        place = _Place(self.history, self.ledger.rounds, move, answers, critique.usage)
        draft = critique.draft or self.proposer.refine(shown)
        self._spend(draft.usage)
        self._read(draft)
        self.recorder.stage(self, LoopStage.JUDGE)

        def keep(part: Candidate) -> None:
            self._reached(draft, part, place)

        if draft.last and not self.plan.quick and not self._confirmed:
            number = len(self.history.candidates)
            found = replace(self.judge.screen(draft, shown, keep), round=number)
            if found.correct:  # it has no comparison if the confirmation does not end
                keep(replace(found, step=Step.TIMING))
                self.recorder.stage(self, LoopStage.CONFIRM)
                confirmed = self.judge.confirm(found, CONFIRMATION_SHARES[0])
                found = replace(confirmed, effort=found.effort + confirmed.effort)
            keep(found)
            return
        found = self._of_another_chain(draft, shown) or self.judge.measure(draft, shown, keep)
        self._spend(found.usage)
        keep(found)

    def _of_another_chain(self, draft: Draft, shown: History) -> Candidate | None:
        """The measurements of the same program in a chain that is not shown."""
        seen = {candidate.round for candidate in shown.candidates}
        for known in () if draft.problem or draft.screening_only else self.history.candidates:
            elsewhere = known.round not in seen and not known.screening_only
            if elsewhere and is_same_program(known.revision, draft.revision):
                return replace(
                    known, summary=draft.summary, model=draft.model, critique="", settled=False, effort=Effort(),
                    notes=(*known.notes, f"measured as round {known.round}, the same program"),
                )  # fmt: skip
        return None

    @property
    def _confirmed(self) -> int:
        """Number of drafts that were confirmed in their round, each with a share of the error rate."""
        return sum(candidate.confirmed for candidate in self.history.candidates)

    def _read(self, draft: Draft) -> None:
        self._unread = 0 if draft.no_program is None else self._unread + 1
        unreadable = ""
        # replies in a row without a program that end the run: each costs as much as one with a program
        if self._unread >= 2:
            begins = f'begins: "{draft.no_program}"' if draft.no_program else "is empty"
            unreadable = f"{draft.model} returned no program twice in a row; its last reply {begins}"
        self.ending = replace(self.ending, unreadable=unreadable)

    def _reached(self, draft: Draft, candidate: Candidate, place: _Place) -> None:
        """Put the candidate of a round into the history, as far as it is judged."""
        self.history = place.history.add(self._placed(place.of(draft, candidate)))
        self.ledger = replace(self.ledger, rounds=place.rounds + (not draft.screening_only))
        self._reserve(next(self.ranked(), None))
        self.recorder.verdict(self)

    def _reserve(self, candidate: Candidate | None) -> None:
        """Leave the time that the confirmation of a candidate takes with the fewest pairs, by what its pairs took."""
        if candidate is None:
            return
        if candidate.confirmed:
            self.clock.reserved = 0.0
            return
        effort, compared = candidate.effort, candidate.comparison
        far = compared is not None and compared.ratio >= FAR and compared.decision is Decision.FASTER
        fewest = FAR_PAIRS if far else self.judge.fewest_pairs(CONFIRMATION_SHARES[0])
        share = fewest / compared.pairs if compared and compared.pairs else 1.0
        self.clock.reserved = CONFIRMATION * (effort.cases_s + share * effort.timing_s)

    def _placed(self, candidate: Candidate) -> Candidate:
        if candidate.step is not None:
            return candidate
        return replace(candidate, task_score=self.task.task_score(candidate, self.history.original))

    def _no_headroom(self) -> str:
        """Return the reason why no candidate can be faster than the best by the minimum gain. Empty if that
        is unknown.
        """
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
        self.recorder.usage(usage)

    def confirm(self) -> Confirmation:
        """The best candidate, confirmed; or none, and why."""
        if len(self.history.candidates) == 1:
            found = "no rule applies" if self.proposer.name == "rules" else f"{self.proposer.name} proposed no change"
            return Confirmation(
                found if self.ending.finished else f"no candidate was checked to its end: {self.ending.stopped}"
            )
        started = time.monotonic()
        reason, todo = self._undecided()
        unfinished = next(filter(self.judge.is_unfinished, reversed(self.history.candidates[1:])), None)
        if unfinished:
            reason = f"round {unfinished.round} was not judged to its end: {so_far(unfinished)}"
        reason = reason or self.ending.unreadable or self._outcomes() or self.task.nothing_accepted
        refused: list[Candidate] = []
        shares = iter(CONFIRMATION_SHARES[self._confirmed :])
        for candidate in tuple(self.ranked()):
            if candidate.confirmed:
                confirmed = candidate
            elif share := next(shares, 0.0):
                self._reserve(candidate)
                confirmed = self._placed(self.judge.confirm(candidate, share))
            else:
                break
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
            todo = self._more(confirmed.comparison)
        return Confirmation(reason, seconds=time.monotonic() - started, refused=tuple(refused), next_step=todo)

    def screened(self) -> Confirmation:
        """Return the best candidate with the figures of its round, and a caveat that it is not confirmed."""
        best = next(self.ranked(), None)
        if best is None:
            return self.confirm()
        reason = f"round {best.round}: {best.summary}"
        return Confirmation(reason, replace(best, checked=(*best.checked, NOT_CONFIRMED)))

    def unconfirmed(self, why: str) -> Confirmation:
        """The best candidate, whose confirmation was ended."""
        best = next(self.ranked(), None)
        if best is None:
            return Confirmation(f"no candidate was better when it ended: {why}", unfinished=True)
        reason = f"round {best.round} is not confirmed: {so_far(best)}; {why}"
        return Confirmation(reason, seconds=self.clock.steps.get("confirmation", 0.0), unfinished=True)

    def _outcomes(self) -> str:
        """`4 candidates: 3 wrong result, 1 no difference`. Empty if the task has to say it: one is faster, or none is
        timed."""
        tried = self.history.candidates[1:]
        words = Counter("not faster in a first timing" if is_screened(each) else word_of(each) for each in tried)
        if any(each.faster for each in tried) or not self.judge.timed:
            return ""
        return f"{counted(len(tried), 'candidate')}: {', '.join(f'{count} {word}' for word, count in words.items())}"

    def _undecided(self) -> tuple[str, str]:
        """Describe the inconclusive candidate that seems best, and a remedy. Empty without such a candidate."""
        candidate = self.history.undecided
        comparison = candidate.comparison if candidate else None
        if candidate is None or comparison is None:
            return "", ""
        seems = gain(comparison.ratio, comparison.metric)
        return f"round {candidate.round} seems {seems}, but that is {comparison.reason}", self._more(comparison)

    def _more(self, found: Comparison | None) -> str:
        """Return advice on a comparison that could not decide. Empty for any other."""
        rule = self.judge.workload.rule
        unsure = found is not None and found.decision is Decision.INCONCLUSIVE
        return more_pairs(found.pairs, rule.max_pairs, rule.max_seconds) if found and unsure else ""

    def ranked(self) -> Iterator[Candidate]:
        """Yield acceptable candidates: the one that the proposer prefers, then the best first.

        Among candidates of similar score, those without caveats come first, then those with the smallest change.
        """
        original = self.history.original
        scored = [(s, c) for c in self.history.candidates[1:] if (s := self.task.score(c, original)) is not None]
        preferred = self.proposer.preferred(self.history)
        for pair in [pair for pair in scored if pair[1] is preferred]:
            scored.remove(pair)
            yield pair[1]
        while scored:
            top = max(score for score, _ in scored)
            # ratio of two scores from which they count as equal, and the smaller change is preferred
            close = [pair for pair in scored if pair[0] >= top * 0.98]
            best = min(close, key=lambda pair: (bool(pair[1].caveats), changed_lines(original, pair[1])))
            scored.remove(best)
            yield best[1]


def changed_lines(original: Candidate, candidate: Candidate) -> int:
    """Number of lines that a diff between the two adds and takes away."""
    old, new = original.revision, candidate.revision
    pairs = [(old[path].splitlines(), new[path].splitlines()) for path in new.changed_files(old)]
    diff = [line for pair in pairs for line in difflib.unified_diff(*pair, n=0, lineterm="")]
    return sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in diff)
