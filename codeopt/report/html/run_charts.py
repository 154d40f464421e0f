"""Charts of a run: the pairs of a comparison, and its rounds as a path."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codeopt.core.history import Candidate
from codeopt.core.words import clock, factor
from codeopt.report.html.markup import Markup, tag
from codeopt_sandbox.compare import Comparison

WIDTH = 640
HEIGHT = 170
LEFT = 58
TOP = 14
STEPS: tuple[tuple[float, ...], ...] = (
    (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,),
)  # fmt: skip
"""Factors within a power of ten that an axis may be labelled with; the first series that fits is taken."""
DISTANCES = (0.05, 0.1, 0.2, 0.5)
"""Distances of labels of an axis that ends below twice its beginning."""
NEAR_ONE = 1.5
"""Factor up to which pairs are shown together with 1.0x."""
TICKS = 5
"""Maximum number of labels of an axis."""


@dataclass(frozen=True)
class FactorAxis:
    """Factors to pixels, on a logarithmic scale, upwards."""

    low: float
    high: float

    @classmethod
    def around(cls, values: Sequence[float], *, from_one: bool = True) -> FactorAxis:
        """An axis that holds all values, with some room. from_one: it holds 1.0x in any case."""
        ends = (0.95, 1.05) if from_one else ()
        low, high = min([*ends, *values]), max([*ends, *values])
        return cls(low / 1.05, high * 1.05)

    def y(self, value: float) -> float:
        """Place of a value; those beyond the ends stand at the end."""
        at = (math.log(min(max(value, self.low), self.high)) - math.log(self.low)) / math.log(self.high / self.low)
        return round(TOP + HEIGHT * (1 - at), 2)

    def ticks(self) -> list[float]:
        """Round factors to label, 1.0x among them where the axis holds it."""
        for every in (*self._near(), *self._wide()):
            inside = [each for each in every if self.low <= each <= self.high]
            if len(inside) <= TICKS:
                break
        return inside[:: math.ceil(len(inside) / TICKS) or 1] or [round(math.sqrt(self.low * self.high), 2)]

    def _near(self) -> Iterator[list[float]]:
        for distance in DISTANCES if self.high < 2 * self.low else ():
            yield [round(number * distance, 2) for number in range(int(self.high / distance) + 1)]

    def _wide(self) -> Iterator[list[float]]:
        for steps in STEPS:
            yield [step * 10.0**power for power in range(-4, 8) for step in steps]

    def grid(self) -> Iterator[Markup]:
        """A line and a label for each tick; that of 1.0x is marked."""
        for value in self.ticks():
            y = self.y(value)
            yield tag("line", class_="threshold" if value == 1.0 else "grid", x1=LEFT, x2=WIDTH, y1=y, y2=y)
            yield tag("text", f"{value:.4g}x", x=LEFT - 8, y=y + 4, text_anchor="end")


def ratios_of(found: Comparison) -> list[float]:
    """Original over candidate of each pair, all timed cases together."""
    series = [(times.original, times.candidate) for times in found.cases if times.original]
    if not series:
        return []
    count = min(min(len(a), len(b)) for a, b in series)
    return [sum(a[n] for a, _ in series) / max(sum(b[n] for _, b in series), 1e-12) for n in range(count)]


def pairs_chart(found: Comparison) -> Markup | None:
    """Each pair of runs by the clock that decides, and by the wall clock beside it, with the interval; None where there
    are no pairs."""
    ratios = ratios_of(found)
    if not ratios:
        return None
    other = found.wall_ratios if found.clock != "wall" else ()
    ends = [each for each in (found.ci_low, found.ci_high) if 0 < each < math.inf]
    shown = [*ratios, *other, *ends]
    axis = FactorAxis.around(shown, from_one=min(shown) < NEAR_ONE)
    step = (WIDTH - LEFT) / len(ratios)
    low, high = axis.y(found.ci_low or axis.low), axis.y(found.ci_high)
    centre = axis.y(found.ratio)
    parts = [
        tag("rect", class_="band", x=LEFT, width=WIDTH - LEFT, y=high, height=max(1.0, low - high)),
        *axis.grid(),
        tag("line", class_="middle", x1=LEFT, x2=WIDTH, y1=centre, y2=centre),
        *_dots(axis, other, step, "wall"),
        *_dots(axis, ratios, step, "solved"),
        tag("text", "pair", x=LEFT - 8, y=TOP + HEIGHT + 18, text_anchor="end"),
        *_numbers(len(ratios), step),
    ]
    names = [("solved", f"each pair, {clock(found.clock)}"), *([("wall", clock("wall"))] if other else [])]
    words = f"{len(ratios)} pairs, {factor(found.ratio)}, interval {factor(found.ci_low)} to {factor(found.ci_high)}"
    return _framed(parts, f"Pairs of runs, original time over draft's time: {words}",
                   [*names, ("band", f"{found.confidence:.0%} interval of {factor(found.ratio)}")])  # fmt: skip


def _dots(axis: FactorAxis, values: Sequence[float], step: float, kind: str) -> Iterator[Markup]:
    for number, value in enumerate(values):
        title = tag("title", f"pair {number + 1}: {factor(value)}")
        yield tag("circle", title, class_=kind, cx=round(LEFT + step * (number + 0.5), 2), cy=axis.y(value), r=3.5)


def _numbers(count: int, step: float) -> Iterator[Markup]:
    """Numbers below the axis, as many as fit."""
    every = max(1, math.ceil(count / 12))
    for number in range(0, count, every):
        x = round(LEFT + step * (number + 0.5), 2)
        yield tag("text", str(number + 1), x=x, y=TOP + HEIGHT + 18, text_anchor="middle")


@dataclass(frozen=True)
class RoundPoint:
    """A draft on the path of a run."""

    round: int
    kind: str
    """Class of the mark: solved (faster), kept (right, no faster), failed (wrong)."""
    ratio: float | None
    """Original time over its time; None where it was not timed."""
    words: str


def round_point(candidate: Candidate) -> RoundPoint:
    """A draft's place. Where no pairs were made, the time of the original beside it counts."""
    found, ratio = candidate.comparison, None
    if found is not None and found.pairs:
        ratio = found.ratio
    elif candidate.correct:
        ratio = dict(candidate.ablation).get("original")
    if not candidate.correct or candidate.rejection:
        return RoundPoint(candidate.round, "failed", ratio, "refused" if candidate.rejection else "wrong")
    if ratio is None:
        return RoundPoint(candidate.round, "kept", None, "right, not timed")
    return RoundPoint(candidate.round, "solved" if ratio > 1 else "kept", ratio, factor(ratio))


def rounds_chart(drafts: Sequence[Candidate], best: int | None) -> Markup | None:
    """Speedup of each round, with the best so far as a line; wrong drafts stand at the bottom. None without drafts."""
    points = [round_point(each) for each in drafts]
    if not points:
        return None
    axis = FactorAxis.around([each.ratio for each in points if each.ratio])
    step, bottom = (WIDTH - LEFT) / len(points), TOP + HEIGHT
    path, so_far = [f"{LEFT},{axis.y(1.0)}"], 1.0
    marks = []
    for number, point in enumerate(points):
        x = round(LEFT + step * (number + 0.5), 2)
        if point.kind == "solved" and point.ratio and point.ratio > so_far:
            path.append(f"{x},{axis.y(so_far)}")
            so_far = point.ratio
            path.append(f"{x},{axis.y(so_far)}")
        title = tag("title", f"round {point.round}: {point.words}{', accepted' * (point.round == best)}")
        marks.append(_mark(point, x, axis.y(point.ratio) if point.ratio and point.kind != "failed" else bottom, title))
        if point.round == best:
            y = axis.y(point.ratio or 1.0)
            marks.append(tag("circle", class_="chosen", cx=x, cy=y, r=8))
    path.append(f"{WIDTH},{axis.y(so_far)}")
    line = tag("polyline", class_="line", points=" ".join(path))
    below = tag("text", "round", x=LEFT - 8, y=bottom + 18, text_anchor="end")
    parts = [*axis.grid(), line, *marks, below, *_numbers(len(points), step)]
    wrong = sum(each.kind == "failed" for each in points)
    words = f"{len(points)} drafts, {wrong} wrong or refused, the best {factor(so_far)}"
    key = [("solved", "right and faster"), ("kept", "right"), ("failed", "wrong or refused"), ("chosen", "accepted")]
    return _framed(parts, f"Speedup by round: {words}", key)


def _mark(point: RoundPoint, x: float, y: float, title: Markup) -> Markup:
    if point.kind == "failed":  # a cross: colour alone would not tell it
        arms = f"M{x - 5},{y - 5}L{x + 5},{y + 5}M{x - 5},{y + 5}L{x + 5},{y - 5}"
        return tag("path", title, class_="cross", d=arms)
    return tag("circle", title, class_=point.kind, cx=x, cy=y, r=5)


def _framed(parts: Sequence[Markup], title: str, key: Sequence[tuple[str, str]]) -> Markup:
    names = tag("div", [tag("span", text, class_=f"k-{kind}") for kind, text in key], class_="key")
    size = f"0 0 {WIDTH + 6} {TOP + HEIGHT + 26}"
    drawn = tag("svg", tag("title", title), parts, class_="chart runs", viewBox=size, role="img")
    return tag("figure", names, drawn)
