"""The field's metrics of a batch, with intervals: %OPT, %correct, speedups, best@k, cost, and how humans did.

Definitions, as in PIE (Shypula et al. 2024) where it has them:

judged     problems whose original could be judged; dropped ones say nothing of the proposer and are listed apart
speedup    the confirmed ratio of the accepted candidate; 1.0 where there is none, or it is wrong or slower
%OPT       share of the judged that are right, with a speedup of at least 1.10x
%correct   share of the judged with at least one draft that is right on every case, everywhere in a report
after k    the same up to the kth compared draft, by the timings of their own rounds: best@k of a sequence, not of a
           sample; a draft that was only screened is not counted as one, since it is compared in a round of its own

A problem that was under way when the batch was killed is `interrupted`, not `running`: nobody holds the batch's lock.
A problem that failed for the model's or the sandbox's sake is judged and unsolved. What has not ended is left out.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from codeopt.batch.database import BatchStore
from codeopt.batch.locks import is_at_work
from codeopt.batch.results.own_measures import OwnMeasures, over_batch, standings
from codeopt.batch.results.statistics import Estimate, estimate, estimate_geometric, mcnemar_p, mean, share, sign_flip_p
from codeopt.core.task_score import TaskScore

INTERRUPTED = "interrupted"
"""Status of a problem that was under way when the batch was killed."""
OPT = 1.10
"""PIE's threshold."""


@dataclass(frozen=True)
class Round:
    """One draft, as far as the metrics need it."""

    number: int
    correct: bool
    speedup: float
    """1.0 unless it is right, and faster with confidence."""
    screened: bool = False
    """Right, and timed only beside its own parts or siblings: what it is worth is measured in a later round."""


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
    tokens: int
    cost_usd: float | None
    seconds: float
    standing: TaskScore | None = None
    """The task's own score; None where the speedup is the measure, and where no draft was measured."""

    @property
    def judged(self) -> bool:
        """Whether it has ended, and its original could be judged."""
        return self.status in ("done", "failed")

    @property
    def correct(self) -> bool:
        """Some draft was right on every case."""
        return any(each.correct for each in self.rounds)

    @property
    def optimised(self) -> bool:
        """Right, with a speedup of at least OPT."""
        return self.accepted and self.speedup >= OPT

    @property
    def compared(self) -> tuple[Round, ...]:
        """Without those that were only screened, which would count as drafts that gained nothing."""
        return tuple(each for each in self.rounds if not each.screened)

    def correct_after(self, k: int) -> bool:
        """Some draft up to the kth compared one was right; after the last of them the same as `correct`."""
        last = self.compared[k - 1].number if k < len(self.compared) else math.inf
        return any(each.correct for each in self.rounds if each.number <= last)

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
    counts: dict[str, int]
    opt: Estimate
    correct: Estimate
    mean_speedup: Estimate
    geomean: Estimate
    rounds: tuple[AfterRounds, ...]
    human_opt: Estimate | None
    human_geomean: Estimate | None
    humans: int
    """Problems whose human program was judged."""
    replies: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    seconds: float
    """Wall time of all sittings, seconds."""
    programs_s: float
    cores: int
    settings: dict[str, Any]
    machine: dict[str, Any]
    python: dict[str, Any] | None
    """The programs' interpreter, as Interpreter.to_json gives it; None where it is not known, or not one."""
    created: str
    backend: str
    tokens_cached: int
    """Input tokens served from providers' prompt caches."""
    effort: dict[str, float]
    """Seconds by step: model, cases, timing, profile, confirmation."""
    own: OwnMeasures | None = None
    """The figures by the task's own measures."""

    @property
    def judged(self) -> list[Solved]:
        """Problems that count."""
        return [each for each in self.solved if each.judged]

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.tokens_in + self.tokens_out

    @property
    def optimised(self) -> int:
        """Problems that are right, with a speedup of at least OPT."""
        return sum(each.optimised for each in self.judged)

    @property
    def overhead(self) -> float | None:
        """Share of the measuring cores' wall time in which no program ran; None without a clock."""
        available = self.seconds * self.cores
        return max(0.0, 1 - self.programs_s / available) if available else None


def measure_batch(store: BatchStore) -> Metrics:
    """The metrics of a batch, also of one that has not ended."""
    settings = json.loads(store.meta("settings") or "{}")
    measured = standings(store.db) if settings.get("task", "runtime") != "runtime" else {}
    solved = tuple(replace(each, standing=measured.get(each.id)) for each in _solved(store.db))
    counts = store.counts()
    if counts.get("running") and not is_at_work(store.folder):
        why = "the batch was ended before; the same command goes on with it"
        ended = {each.id: replace(each, status=INTERRUPTED, reason=why) for each in solved if each.status == "running"}
        solved = tuple(ended.get(each.id, each) for each in solved)
        counts[INTERRUPTED] = counts.pop("running")
    judged = [each for each in solved if each.judged]
    speedups = [each.speedup for each in judged]
    humans = [each.human for each in judged if each.human is not None]
    spent = store.db.execute(
        "SELECT count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) FROM exchange"
    ).fetchone()
    return Metrics(
        solved, counts,
        opt=share([each.optimised for each in judged]), correct=share([each.correct for each in judged]),
        mean_speedup=estimate(speedups, mean), geomean=estimate_geometric(speedups),
        rounds=tuple(_after_rounds(judged)),
        human_opt=share([human >= OPT for human in humans]) if humans else None,
        human_geomean=estimate_geometric(humans) if humans else None, humans=len(humans),
        replies=spent[0], tokens_in=spent[1], tokens_out=spent[2], cost_usd=store.spent().cost_usd,
        seconds=float(store.meta("seconds") or 0), cores=int(store.meta("cores") or 1),
        programs_s=float(store.db.execute("SELECT coalesce(sum(programs_s), 0) FROM problem").fetchone()[0]),
        settings=settings, own=over_batch(store.db, measured, [(each.id, each.accepted) for each in judged]),
        machine=json.loads(store.meta("machine") or "{}"),
        python=json.loads(store.meta("python") or "null"),
        created=store.meta("created"), backend=store.meta("backend"),
        tokens_cached=store.db.execute("SELECT coalesce(sum(cached), 0) FROM exchange").fetchone()[0],
        effort=_effort(store.db),
    )  # fmt: skip


BODY = "replace(replace(body, 'Infinity', '1e999'), 'NaN', '0')"
"""Body of a candidate for SQLite, which takes these two words of Python's for no JSON."""


def _solved(db: sqlite3.Connection) -> Iterator[Solved]:
    drafts: dict[str, list[Round]] = {}
    humans: dict[str, float] = {}
    for row in db.execute(
        f"SELECT problem, stage, round, correct, decision, ratio, decision IS NULL AND (json_array_length({BODY},"
        f" '$[0].beside') > 0 OR json_array_length({BODY}, '$[0].siblings') > 0) AS screened"
        " FROM candidate ORDER BY problem, round"
    ):
        worth = row["ratio"] if row["correct"] and row["decision"] == "faster" else 1.0
        if row["stage"] == "target":
            humans[row["problem"]] = worth
        elif row["stage"] == "round" and row["round"] > 0:
            found = Round(row["round"], bool(row["correct"]), worth, bool(row["screened"]))
            drafts.setdefault(row["problem"], []).append(found)
    costs = {
        row[0]: (row[1], row[2] if row[3] == row[4] else None)
        for row in db.execute(
            "SELECT problem, sum(tokens_in + tokens_out), sum(cost_usd), count(*), count(cost_usd)"
            " FROM exchange GROUP BY problem"
        )
    }
    for row in db.execute("SELECT * FROM problem ORDER BY position"):
        accepted = bool(row["accepted"])
        tokens, cost = costs.get(row["id"], (0, 0.0))
        yield Solved(
            row["id"], row["status"], row["fault"], row["reason"], accepted,
            row["ratio"] if accepted and row["ratio"] is not None else 1.0, row["ci_low"], row["ci_high"],
            row["best_round"], tuple(drafts.get(row["id"], ())), humans.get(row["id"]), tokens, cost, row["seconds"],
        )  # fmt: skip


def _effort(db: sqlite3.Connection) -> dict[str, float]:
    """Seconds of all rounds by step, and of the confirmations of what was accepted."""
    found = {
        step: db.execute(
            f"SELECT coalesce(sum(json_extract({BODY}, ?)), 0) FROM candidate WHERE stage = 'round'",
            [f"$[0].effort.{step}_s"],
        ).fetchone()[0]
        for step in ("model", "cases", "timing", "profile")
    }
    seconds = f"json_extract({BODY}, '$[0].effort.cases_s') + json_extract({BODY}, '$[0].effort.timing_s')"
    confirmed = db.execute(f"SELECT coalesce(sum({seconds}), 0) FROM candidate WHERE stage = 'confirm'")
    return {name: round(value, 3) for name, value in {**found, "confirmation": confirmed.fetchone()[0]}.items()}


def _after_rounds(judged: Sequence[Solved]) -> Iterator[AfterRounds]:
    most = max((len(each.compared) for each in judged), default=0)
    for k in range(1, most + 1):
        best = [each.after(k) for each in judged]
        before = [each.after(k - 1) for each in judged]
        yield AfterRounds(
            k, sum(len(each.compared) >= k for each in judged),
            share([each.correct_after(k) for each in judged]),
            share([value >= OPT for value in best]), estimate_geometric(best),
            sum(old < OPT <= new for old, new in zip(before, best, strict=True)),
        )  # fmt: skip


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
        len(both), (sum(a.optimised for a, _ in both), sum(b.optimised for _, b in both)),
        mcnemar_p(only_first, only_second),
        estimate_geometric(ratios), sign_flip_p([math.log(ratio) for ratio in ratios]),
        tuple((a.id, a.speedup, b.speedup) for a, b in both),
    )  # fmt: skip
