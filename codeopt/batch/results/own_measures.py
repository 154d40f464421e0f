"""Figures of a task whose measure is not the speedup, over a batch: scores before and after, and a reader's view.

improved    share of the judged problems with an accepted draft
score       mean over the judged problems, of the originals and of the results; where nothing was accepted the original
            is the result
preferred   share of the drafts that a reader was asked about and preferred in both orders; a tie is no win
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeopt.batch.results.statistics import Estimate, estimate, mean, share
from codeopt.core.history import Preferred
from codeopt.core.run_store import candidate_from_json
from codeopt.core.task_score import TaskMeasure, TaskScore


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


def standings(db: sqlite3.Connection) -> dict[str, TaskScore]:
    """The outcome of each problem: its result, as it was confirmed, or the original, which stayed."""
    accepted = {row[0] for row in db.execute("SELECT id FROM problem WHERE accepted = 1")}
    found: dict[str, TaskScore] = {}
    for row in db.execute("SELECT problem, stage, body FROM candidate WHERE stage != 'target' AND round > 0"):
        standing = candidate_from_json(row["body"]).standing
        if standing is not None and (row["stage"] == "confirm" or row["problem"] not in accepted):
            found[row["problem"]] = standing if row["problem"] in accepted else standing.unchanged()
    return found


def over_batch(
    db: sqlite3.Connection, found: Mapping[str, TaskScore], judged: Sequence[tuple[str, bool]]
) -> OwnMeasures | None:
    """The figures; None where the speedup is the measure. judged: each problem, and whether a draft was accepted."""
    rows = [found[id] for id, _ in judged if id in found]
    if not rows:
        return None
    read = _read(db)
    units = {m.name: m.unit for each in rows for m in each.measures}
    return OwnMeasures(
        rows[0].name,
        share([accepted for _, accepted in judged]),
        estimate([each.before for each in rows], mean),
        estimate([each.after for each in rows], mean),
        tuple(_mean_of(name, unit, rows) for name, unit in units.items()),
        share(list(read.values())) if read else None,
        len(read),
    )


def _read(db: sqlite3.Connection) -> dict[str, bool]:
    """The problems that a reader was asked about: whether he preferred a draft."""
    found: dict[str, bool] = {}
    for row in db.execute("SELECT problem, body FROM candidate WHERE stage IN ('confirm', 'refused')"):
        preference = candidate_from_json(row["body"]).preference
        if preference is not None:
            found[row["problem"]] = found.get(row["problem"], False) or preference.winner is Preferred.SECOND
    return found


def _mean_of(name: str, unit: str, rows: Sequence[TaskScore]) -> TaskMeasure:
    values = [(m.before, m.after) for each in rows for m in each.measures if m.name == name and m.unit == unit]
    return TaskMeasure(name, mean([old for old, _ in values]), mean([new for _, new in values]), unit)
