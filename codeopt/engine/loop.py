"""The whole algorithm: draft -> run, compare, profile -> critique -> refine, until nothing is left to improve.

Self-Refine (Madaan et al. 2023) with a judge. A wrong candidate is also feedback. Each draft is made from the newest
one, with all before it in view. The result is the original unless a candidate is right on every case and better with
statistical confidence, twice: in its round, and in the confirmation with fresh timings and held-out cases. A draft
after which nothing else would be tried is confirmed in its round: it was chosen by no timing, so that one comparison,
at the error rate of the confirmation, says as much.
"""

from __future__ import annotations

import difflib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from codeopt.core.budget import Budget, Effort, Ledger, Usage
from codeopt.core.history import Candidate, Critique, Draft, History, Proposer, Step
from codeopt.core.run_clock import RunClock
from codeopt.core.step_error import StepError
from codeopt.core.words import counted, gain
from codeopt.engine.comparison_progress import more_pairs
from codeopt.engine.judge import Judge, Keep
from codeopt.engine.next_steps import no_headroom
from codeopt.report.verdict import NOT_CONFIRMED as UNCONFIRMED
from codeopt.report.verdict import is_screened, so_far, word_of
from codeopt.tasks import Task
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.outcome import Caveat, CaveatKind
from codeopt_sandbox.sequential_test import FAR, FAR_PAIRS

CONFIRMATION = 3.0
"""Estimated time of a confirmation with the fewest pairs that decide, as a multiple of what these and the checks took
in the round. It makes inputs of its own, which the original also runs on: 2.7 and 3.0 times (a function, a program)."""
PATIENCE = 2
"""Rounds in a row without a gain after which a further one cannot pay."""
MAX_UNREADABLE = 2
"""Replies in a row without a program that end the run: each costs as much as one with a program."""
CLOSE = 0.98
"""Ratio of two scores from which they count as equal, and the smaller change is preferred."""
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
    ends_early: bool = True
    """End after PATIENCE rounds without a gain, and where a bound says that no other draft can be worth having. False:
    the proposer ends by itself."""
    save: Saver = lambda loop: None
    keep: Saver = lambda loop: None
    """Called after each step of judging a draft, and when its verdict is reached: before it is profiled."""
    clock: RunClock = field(default_factory=RunClock)
    """Clock of this session."""
    on_usage: Callable[[Usage], None] = lambda usage: None
    """Receives the usage of each request that is paid for."""
    ask_reader: Callable[[Candidate, Candidate], Candidate] | None = None
    """Asks a reader about a candidate that was confirmed, and the original. None: no reader."""
    stopped: str = ""
    """Reason why no further round was run."""
    limit: str = ""
    """Limit that ended the rounds or the confirmation, by its field of Budget."""
    failure: StepError | None = None
    """The error of a step that ended the run."""
    finished: bool = False
    """The proposer has nothing more to offer."""
    on_stage: Callable[[LoopStage], None] = lambda stage: None
    """Called when a draft is asked for, and when it is there to be judged."""
    unreadable: str = ""
    """Reason why the model's last replies could not be used. Empty if they could."""
    quick: bool = False
    """No draft is confirmed."""
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
        for candidate in filter(self.judge.is_unfinished, self.history.candidates[1:]):
            self._judge_again(candidate)
        while not (reason := self.spent or self._no_headroom()):
            if reason := "nothing left to improve" if self.history.last.settled else self._stalled():
                self.finished = True
                break
            self.on_stage(LoopStage.DRAFT)
            critique = self.proposer.critique(self._shown())
            self._spend(critique.usage)
            self.history = self.history.with_critique(critique.text)
            if critique.exhausted:
                self.finished, reason = True, f"no further change by the {self.proposer.name}"
                break
            if not critique.draft and self.task.is_sufficient(critique, self.history):
                self._settle()
                continue
            self._round(critique)
            # A verdict with a draft is on that draft, and believed once it is measured: one request in place of two.
            gains = self.task.score(self.history.last, self.history.original) is not None
            if critique.draft and self.task.is_sufficient(critique, self.history) and gains:
                self._settle()
            self.save(self)
            if self.unreadable:
                reason = self.unreadable
                break
        self.stopped = reason

    def _settle(self) -> None:
        self.history = self.history.changed(replace(self.history.last, settled=True))

    def _shown(self) -> History:
        """The history as the proposer sees it, with the number of rounds so far: models take turns by it."""
        return replace(self.history, turn=max(candidate.turn for candidate in self.history.candidates))

    def _stalled(self) -> str:
        """Return the reason why a further round cannot pay, empty if it can: the last ones were right without a gain.

        Incorrect candidates do not count: the idea may still gain after a fix. Only of a task of time: for others each
        round costs the same, and any may gain.
        """
        best: Candidate | None = None
        idle: set[int] = set()
        for candidate in self.history.candidates[1:] if self.ends_early and self.task.needs_time else ():
            if gains(candidate, best, self.task, self.history.original):
                best, idle = candidate, set()
            elif best is not None and candidate.turn and candidate.correct and candidate.turn != best.turn:
                idle.add(candidate.turn)
        return f"{PATIENCE} rounds in a row without a measurable gain" if len(idle) >= PATIENCE else ""

    def _judge_again(self, candidate: Candidate) -> None:
        """Judge a draft of an earlier session from the step that was not finished, its pairs from the first one."""
        earlier = replace(self.history, candidates=self.history.candidates[: candidate.round])
        draft = Draft(candidate.revision, candidate.summary, candidate.changes, model=candidate.model)

        def again(found: Candidate) -> Candidate:
            return self._placed(
                replace(
                    found, turn=candidate.turn, parents=candidate.parents, critique=candidate.critique,
                    effort=candidate.effort + found.effort,
                )
            )  # fmt: skip

        def keep(part: Candidate) -> None:
            self.history = self.history.changed(again(part))
            self.told = min(self.told, candidate.round)
            self._reserve(next(self.ranked(), None))
            self.keep(self)

        self.on_stage(LoopStage.JUDGE)
        if candidate.correct and candidate.step in (None, Step.TIMING, Step.TESTS):
            fresh = replace(candidate, comparison=None, second=None, step=None, effort=Effort())
            found = self.judge.finish(fresh, draft, earlier, keep)
        else:
            found = self.judge.measure(draft, earlier, keep)
        keep(found)
        self.save(self)

    @property
    def spent(self) -> str:
        """The limit that is met, in plain words; the time that a confirmation needs counts as spent."""
        return self.ledger.spent(self.budget) or (self.budget.out_of_time if self.clock.is_over else "")

    def _round(self, critique: Critique) -> None:
        """Run the draft that answers a critique, whose usage is reported with it."""
        before, rounds = self.history, self.ledger.rounds
        draft = critique.draft or self.proposer.refine(self._shown())
        self._spend(draft.usage)
        self._read(draft)
        self.on_stage(LoopStage.JUDGE)
        counts = not draft.screening_only

        def keep(part: Candidate) -> None:
            """Put the candidate into the history, as far as it is judged."""
            part = replace(
                part, round=len(before.candidates), turn=rounds + 1 if counts else 0, parents=(before.last.round,),
                effort=part.effort.asked(critique.usage).asked(draft.usage).asked(part.usage),
            )  # fmt: skip
            self.history = before.add(self._placed(part))
            self.ledger = replace(self.ledger, rounds=rounds + counts)
            self._reserve(next(self.ranked(), None))
            self.keep(self)

        if draft.last and not self.quick and not self._confirmed:
            keep(self._confirmed_at_once(draft, before, keep))
            return
        found = self.judge.measure(draft, before, keep)
        self._spend(found.usage)
        keep(found)

    @property
    def _confirmed(self) -> int:
        """Number of drafts that were confirmed in their round, each with a share of the error rate."""
        return sum(candidate.confirmed for candidate in self.history.candidates)

    def _confirmed_at_once(self, draft: Draft, before: History, keep: Keep) -> Candidate:
        """Confirm the draft of a round if it is right. It has no comparison if that does not end."""
        found = self.judge.screen(draft, before, keep)
        if not found.correct:
            return found
        keep(replace(found, step=Step.TIMING))
        self.on_stage(LoopStage.CONFIRM)
        confirmed = self.judge.confirm(found, CONFIRMATION_SHARES[0])
        return replace(confirmed, effort=found.effort + confirmed.effort)

    def _read(self, draft: Draft) -> None:
        self._unread = 0 if draft.no_program is None else self._unread + 1
        self.unreadable = ""
        if self._unread >= MAX_UNREADABLE:
            begins = f'begins: "{draft.no_program}"' if draft.no_program else "is empty"
            self.unreadable = f"{draft.model} returned no program twice in a row; its last reply {begins}"

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
        if not self.ends_early or not self.task.needs_time:
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
            found = "no rule applies" if self.proposer.name == "rules" else f"{self.proposer.name} proposed no change"
            return Confirmation(found if self.finished else f"no candidate was checked to its end: {self.stopped}")
        started = time.monotonic()
        reason, todo = self._undecided()
        unfinished = next(filter(self.judge.is_unfinished, reversed(self.history.candidates[1:])), None)
        if unfinished:
            reason = f"round {unfinished.round} was not judged to its end: {so_far(unfinished)}"
        reason = reason or self.unreadable or self._outcomes() or self.task.nothing_accepted
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
            close = [pair for pair in scored if pair[0] >= top * CLOSE]
            best = min(close, key=lambda pair: (bool(pair[1].caveats), changed_lines(original, pair[1])))
            scored.remove(best)
            yield best[1]


def gains(new: Candidate, best: Candidate | None, task: Task, original: Candidate) -> bool:
    """Return whether a candidate is better than the best before it, outside its interval.

    For times its whole interval must lie above the other's estimate. A rule that the two intervals must not overlap
    would miss a step of 1.6x after 20x.
    """
    score = task.score(new, original)
    if score is None or best is None:
        return score is not None
    if task.needs_time and new.comparison and best.comparison:
        return new.comparison.ci_low > best.comparison.ratio
    return score > (task.score(best, original) or 0.0)


def changed_lines(original: Candidate, candidate: Candidate) -> int:
    """Number of lines that a diff between the two adds and takes away."""
    old, new = original.revision, candidate.revision
    pairs = [(old[path].splitlines(), new[path].splitlines()) for path in new.changed_files(old)]
    diff = [line for pair in pairs for line in difflib.unified_diff(*pair, n=0, lineterm="")]
    return sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in diff)
