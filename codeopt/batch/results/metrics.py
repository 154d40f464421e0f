"""The field's metrics of a batch, with intervals: %OPT, %correct, speedups, best@k, cost, and how humans did.

Definitions, as in PIE (Shypula et al. 2024) where it has them:

judged     problems whose original could be judged; skipped ones do not count for the source and are listed apart
speedup    the confirmed ratio of the accepted candidate; 1.0 if no candidate is accepted, or it is wrong or slower
%OPT       share of the judged that are right, with a speedup of at least 1.10x
%correct   share of the judged with at least one draft that is right on every case, everywhere in a report
after k    the same up to the kth compared draft, by the timings of their own rounds: best@k of a sequence, not of a
           sample; a draft that was only screened is not counted as one, since it is compared in a round of its own

A problem that was under way when the batch was killed is `interrupted`, not `running`: nobody holds the batch's lock.
A problem that failed for the model's or the sandbox's sake is judged and unsolved. What has not ended is left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from codeopt.batch.batch_folder import BatchFacts, BatchFolder
from codeopt.batch.locks import is_at_work
from codeopt.batch.results.statistics import Estimate, estimate, estimate_geometric, mcnemar_p, mean, share, sign_flip_p
from codeopt.core.history import Candidate, Preferred, TaskMeasure, TaskScore
from codeopt.core.model import NOTHING_USED, Effort, Usage
from codeopt_sandbox.compare import Decision

INTERRUPTED = "interrupted"
"""Status of a problem that was under way when the batch was killed."""
OPT = 1.10
"""PIE's threshold."""
STEPS = ("model", "cases", "timing", "profile", "confirmation")
"""Steps whose seconds are added up."""


@dataclass(frozen=True)
class Round:
    """One draft, as far as the metrics need it."""

    number: int
    correct: bool
    speedup: float
    """1.0 unless it is right, and faster with confidence."""
    screened: bool = False
    """Right, and timed only next to its own parts: what it is worth is measured in a later round."""


@dataclass(frozen=True)
class Solved:
    """One problem's row."""

    id: str
    status: str
    fault: str
    reason: str
    accepted: bool
    speedup: float
    """Confirmed; 1.0 where nothing was accepted."""
    low: float | None
    high: float | None
    best_round: int | None
    rounds: tuple[Round, ...]
    human: float | None
    """Speedup of the human's program by the same judge; None when it was not judged."""
    usage: Usage
    """Cost of all its replies."""
    seconds: float
    programs_s: float
    """Running programs in the sandbox, seconds."""
    effort: Mapping[str, float]
    """Seconds by step; see STEPS."""
    preferred: bool | None
    """Whether a reader preferred a draft; None: none was asked."""
    task_score: TaskScore | None = None
    """The task's own score; None where the speedup is the measure, and where no draft was measured."""

    @property
    def judged(self) -> bool:
        """Whether it has ended, and its original could be judged."""
        return self.status in ("done", "failed")

    @property
    def correct(self) -> bool:
        """Some draft was right on every case."""
        return any(round.correct for round in self.rounds)

    @property
    def optimised(self) -> bool:
        """Right, with a speedup of at least OPT."""
        return self.accepted and self.speedup >= OPT

    @property
    def compared(self) -> tuple[Round, ...]:
        """Without those that were only screened, which would count as drafts that gained nothing."""
        return tuple(round for round in self.rounds if not round.screened)

    def correct_after(self, k: int) -> bool:
        """Some draft up to the kth compared one was right; after the last of them the same as `correct`."""
        last = self.compared[k - 1].number if k < len(self.compared) else math.inf
        return any(round.correct for round in self.rounds if round.number <= last)

    def after(self, k: int) -> float:
        """The best speedup of the first k drafts, by their own rounds' timings."""
        return max((each.speedup for each in self.compared[:k]), default=1.0)


@dataclass(frozen=True)
class AfterRounds:
    """The result of the first k drafts: best@k."""

    k: int
    drafts: int
    """Problems that had a draft in round k."""
    correct: Estimate
    opt: Estimate
    geomean: Estimate
    newly: int
    """Problems that passed the %OPT threshold in this very round."""


@dataclass(frozen=True)
class Metrics:
    """Everything the reports show."""

    solved: tuple[Solved, ...]
    """All problems, in the order of the set."""
    counts: Mapping[str, int]
    opt: Estimate
    correct: Estimate
    mean_speedup: Estimate
    geomean: Estimate
    rounds: tuple[AfterRounds, ...]
    human_opt: Estimate | None
    human_geomean: Estimate | None
    humans: int
    """Problems whose human program was judged."""
    usage: Usage
    """Cost of all replies."""
    programs_s: float
    """Running programs in the sandbox, seconds."""
    facts: BatchFacts
    effort: Mapping[str, float]
    """Seconds by step; see STEPS."""
    own: OwnMeasures | None = None
    """The figures by the task's own measures."""

    @property
    def judged(self) -> list[Solved]:
        """Problems that count."""
        return [each for each in self.solved if each.judged]

    @property
    def optimised(self) -> int:
        """Problems that are right, with a speedup of at least OPT."""
        return sum(each.optimised for each in self.judged)

    @property
    def overhead(self) -> float | None:
        """Share of the measuring cores' wall time in which no program ran; None without a clock."""
        available = self.facts.seconds * self.facts.cores
        return max(0.0, 1 - self.programs_s / available) if available else None


def measure_batch(batch: BatchFolder) -> Metrics:
    """The metrics of a batch, also of one that has not ended."""
    facts = batch.facts
    scored = facts.settings.get("task", "runtime") != "runtime"
    solved = tuple(_solved(batch, id, scored) for id in batch.ids())
    if any(each.status == "running" for each in solved) and not is_at_work(batch.folder):
        why = "the batch was ended before; the same command continues it"
        solved = tuple(
            replace(each, status=INTERRUPTED, reason=why) if each.status == "running" else each for each in solved
        )
    judged = [each for each in solved if each.judged]
    speedups = [each.speedup for each in judged]
    humans = [each.human for each in judged if each.human is not None]
    return Metrics(
        solved, dict(sorted(Counter(each.status for each in solved).items())),
        opt=share([each.optimised for each in judged]), correct=share([each.correct for each in judged]),
        mean_speedup=estimate(speedups, mean), geomean=estimate_geometric(speedups),
        rounds=tuple(_after_rounds(judged)),
        human_opt=share([human >= OPT for human in humans]) if humans else None,
        human_geomean=estimate_geometric(humans) if humans else None, humans=len(humans),
        usage=sum((each.usage for each in solved), NOTHING_USED),
        programs_s=sum(each.programs_s for each in solved), facts=facts,
        effort={step: round(sum(each.effort.get(step, 0.0) for each in solved), 3) for step in STEPS},
        own=over_batch(
            [each.task_score for each in judged if each.task_score], [each.accepted for each in judged],
            [each.preferred for each in solved if each.preferred is not None],
        ),
    )  # fmt: skip


def _solved(batch: BatchFolder, id: str, scored: bool) -> Solved:
    """One problem, by its files. scored: its task has a score of its own."""
    status, run = batch.status(id), batch.load(id)
    drafts = run.history.candidates if run else ()
    confirmed, target = batch.measured(id, "confirm"), batch.measured(id, "target")
    outside = [*confirmed, *batch.measured(id, "refused")]
    preferences = [each.preference.winner for each in outside if each.preference is not None]
    rounds = sum((draft.effort for draft in drafts), Effort())
    again = sum(each.effort.cases_s + each.effort.timing_s for each in confirmed)
    seconds = (rounds.model_s, rounds.cases_s, rounds.timing_s, rounds.profile_s, again)
    effort = dict(zip(STEPS, seconds, strict=True))
    score: TaskScore | None = None
    if scored:  # of the result, as it was confirmed, or of the original, which stayed
        measured = confirmed if status.accepted else [*outside, *drafts[1:]]
        score = next((each.task_score for each in reversed(measured) if each.task_score is not None), None)
        score = score if status.accepted or score is None else score.unchanged()
    return Solved(
        id, status.status, status.fault, status.reason, status.accepted,
        status.ratio if status.accepted and status.ratio is not None else 1.0, status.ci_low, status.ci_high,
        status.best_round,
        tuple(Round(each.round, each.correct, _worth(each), each.screening_only) for each in drafts[1:]),
        _worth(target[-1]) if target else None, batch.usage(id), status.time_spent.seconds,
        status.time_spent.programs_s, effort, Preferred.SECOND in preferences if preferences else None, score,
    )  # fmt: skip


def _worth(draft: Candidate) -> float:
    """The speedup of a draft; 1.0 unless it is right, and faster with confidence."""
    found = draft.comparison
    return found.ratio if found and draft.correct and found.decision is Decision.FASTER else 1.0


def _after_rounds(judged: Sequence[Solved]) -> Iterator[AfterRounds]:
    most = max((len(each.compared) for each in judged), default=0)
    for k in range(1, most + 1):
        best = [each.after(k) for each in judged]
        before = [each.after(k - 1) for each in judged]
        yield AfterRounds(
            k,
            sum(len(each.compared) >= k for each in judged),
            share([each.correct_after(k) for each in judged]),
            share([value >= OPT for value in best]),
            estimate_geometric(best),
            sum(old < OPT <= new for old, new in zip(before, best, strict=True)),
        )


@dataclass(frozen=True)
class Versus:
    """Two batches on the problems that both have judged."""

    problems: int
    opt: tuple[int, int]
    """Solved at OPT, by each."""
    opt_p: float
    """McNemar's exact test."""
    ratio: Estimate
    """Geometric mean of the second's speedup over the first's; above 1 the second is better."""
    ratio_p: float
    """Sign-flip test of the paired logarithms."""
    pairs: tuple[tuple[str, float, float], ...]


def versus(first: Metrics, second: Metrics) -> Versus:
    """A paired comparison."""
    other = {each.id: each for each in second.judged}
    both = [(each, other[each.id]) for each in first.judged if each.id in other]
    ratios = [b.speedup / a.speedup for a, b in both]
    only_first = sum(a.optimised and not b.optimised for a, b in both)
    only_second = sum(b.optimised and not a.optimised for a, b in both)
    return Versus(
        len(both),
        (sum(a.optimised for a, _ in both), sum(b.optimised for _, b in both)),
        mcnemar_p(only_first, only_second),
        estimate_geometric(ratios),
        sign_flip_p([math.log(ratio) for ratio in ratios]),
        tuple((a.id, a.speedup, b.speedup) for a, b in both),
    )


# Figures of a task whose measure is not the speedup, over a batch: scores before and after, and a reader's view.
# - improved: share of the judged problems with an accepted draft
# - score: mean over the judged problems, of the originals and of the results; if nothing was accepted the original is
#   the result
# - preferred: share of the drafts that a reader was asked about and preferred in both orders; a tie is no win


@dataclass(frozen=True)
class OwnMeasures:
    """The means over all judged problems that had a draft which could be measured."""

    name: str
    """The name of the scale: `readability`."""
    improved: Estimate
    before: Estimate
    after: Estimate
    measures: tuple[TaskMeasure, ...]
    """Means of what the score is made of."""
    preferred: Estimate | None
    """The share that a reader preferred; None where no reader was asked."""
    asked: int

    def to_json(self) -> dict[str, Any]:
        """The field `task` of a report."""
        score = {"before": self.before.value, "after": self.after.value}
        ends = {"after_interval": [self.after.low, self.after.high]}
        read = self.preferred
        return {
            "name": self.name,
            "improved": self.improved.value,
            "improved_interval": [self.improved.low, self.improved.high],
            "score": {**score, **ends},
            "measures": [{"name": m.name, "before": m.before, "after": m.after, "unit": m.unit} for m in self.measures],
            "preferred": read and {"share": read.value, "interval": [read.low, read.high], "asked": self.asked},
        }


def over_batch(rows: Sequence[TaskScore], accepted: Sequence[bool], preferred: Sequence[bool]) -> OwnMeasures | None:
    """The figures; None where the speedup is the measure. accepted: of each judged problem, whether a draft was.
    preferred: of each problem that a reader was asked about, whether it preferred a draft."""
    if not rows:
        return None
    measures = []
    for name, unit in {m.name: m.unit for row in rows for m in row.measures}.items():
        found = [m for row in rows for m in row.measures if m.name == name and m.unit == unit]
        measures.append(TaskMeasure(name, mean([m.before for m in found]), mean([m.after for m in found]), unit))
    return OwnMeasures(
        rows[0].name,
        share(accepted),
        estimate([each.before for each in rows], mean),
        estimate([each.after for each in rows], mean),
        tuple(measures),
        share(preferred) if preferred else None,
        len(preferred),
    )
