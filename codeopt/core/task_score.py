"""The score of a candidate by its task's own measures, next to the original's."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class TaskMeasure:
    """One figure of the original and of a candidate."""

    name: str
    before: float
    after: float
    unit: str = ""
    """Unit after the number, such as ` MiB`. `%` for shares, which are shown as per cent."""

    @property
    def words(self) -> str:
        """Format `comments 2 -> 17 %`, or `comments 17 %` without a change."""
        old, new = (_number(value, self.unit) for value in (self.before, self.after))
        change = new if old == new else f"{old} -> {new}"
        return f"{self.name} {change}{' %' if self.unit == '%' else self.unit}"


@dataclass(frozen=True)
class TaskScore:
    """A candidate on the task's scale, and what the score is made of."""

    name: str
    """The name of the scale, and of the column: `readability`."""
    before: float
    after: float
    verdict: str
    """A word or two for the table: `more readable`, `not preferred`."""
    measures: tuple[TaskMeasure, ...] = ()
    remark: str = ""
    """The other thing that decided: `as fast as before`."""

    def unchanged(self) -> TaskScore:
        """The score of the original, which stayed."""
        measures = tuple(replace(measure, after=measure.before) for measure in self.measures)
        return replace(self, after=self.before, measures=measures)

    @property
    def words(self) -> str:
        """`readability 0.41 -> 0.83: comments 2 -> 17 %, branches 14 -> 5; as fast as before`."""
        changed = ", ".join(measure.words for measure in self.measures if measure.before != measure.after)
        parts = f"{self.name} {self.before:.2f} -> {self.after:.2f}{': ' * bool(changed)}{changed}"
        return f"{parts}; {self.remark}" if self.remark else parts


def _number(value: float, unit: str) -> str:
    shown = value * 100 if unit == "%" else value
    return f"{shown:.0f}" if unit == "%" or shown == int(shown) or shown >= 100 else f"{shown:.3g}"
