"""Figures of a task whose measure is not the speedup, over a batch: scores before and after, and a reader's view.

improved    share of the judged problems with an accepted draft
score       mean over the judged problems, of the originals and of the results; if nothing was accepted the original
            is the result
preferred   share of the drafts that a reader was asked about and preferred in both orders; a tie is no win
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codeopt.batch.results.statistics import Estimate, estimate, mean, share
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


def over_batch(rows: Sequence[TaskScore], accepted: Sequence[bool], preferred: Sequence[bool]) -> OwnMeasures | None:
    """The figures; None where the speedup is the measure. accepted: of each judged problem, whether a draft was.
    preferred: of each problem that a reader was asked about, whether it preferred a draft."""
    if not rows:
        return None
    units = {m.name: m.unit for row in rows for m in row.measures}
    return OwnMeasures(
        rows[0].name,
        share(accepted),
        estimate([each.before for each in rows], mean),
        estimate([each.after for each in rows], mean),
        tuple(_mean_of(name, unit, rows) for name, unit in units.items()),
        share(preferred) if preferred else None,
        len(preferred),
    )


def _mean_of(name: str, unit: str, rows: Sequence[TaskScore]) -> TaskMeasure:
    values = [(m.before, m.after) for row in rows for m in row.measures if m.name == name and m.unit == unit]
    return TaskMeasure(name, mean([old for old, _ in values]), mean([new for _, new in values]), unit)
