"""Charts of runs and of batches as inline SVG: no script, no network, readable in print and in the dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from codeopt.core.history import Candidate
from codeopt.core.words import Speedup, clock, factor, size_words, took
from codeopt.report.html.templating import Markup, scrolls, tag
from codeopt.report.verdict import word_of
from codeopt_sandbox.compare import Comparison

LEFT = 58
TOP = 14
RIGHT = 16
BELOW = 26
"""Room below an axis for its labels."""
RUN_WIDTH = 640
BATCH_WIDTH = 960
HALF_WIDTH = BATCH_WIDTH // 2 - 20
STEPS: tuple[tuple[float, ...], ...] = (
    (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,),
)  # fmt: skip
"""Factors within a power of ten that an axis may be labelled with; the first series that fits is taken."""
TICKS = 5
"""Maximum number of labels of an axis."""
LABELLED = 60
"""Most problems that have a line with their name each."""


@dataclass(frozen=True)
class Axis:
    """Values to pixels, upwards."""

    low: float
    high: float
    height: int = 170
    log: bool = True
    """A logarithmic scale, of factors."""

    @classmethod
    def around(cls, values: Sequence[float], *, from_one: bool = True) -> Axis:
        """An axis of factors that holds all values, with some room. from_one: it holds 1.0x in any case."""
        ends = (0.95, 1.05) if from_one else ()
        low, high = min([*ends, *values]), max([*ends, *values])
        return cls(low / 1.05, high * 1.05)

    @property
    def bottom(self) -> int:
        """Place of the low end."""
        return TOP + self.height

    def share(self, value: float) -> float:
        """Return the part of the axis below a value. Values outside the axis get its nearest end."""
        scale: Callable[[float], float] = math.log if self.log else float
        value = min(max(value, self.low), self.high)
        return (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))

    def y(self, value: float) -> float:
        return round(TOP + self.height * (1 - self.share(value)), 2)

    def ticks(self) -> list[float]:
        """Round values to label; of factors 1.0x is among them where the axis holds it."""
        if not self.log:
            size = 10.0 ** math.floor(math.log10(self.high / 4))
            step = next(m * size for m in (1, 2, 5, 10) if m * size >= self.high / 4)
            return [step * number for number in range(int(self.high / step) + 1)]
        for every in (
            *self._near(),
            *([step * 10.0**power for power in range(-9, 13) for step in steps] for steps in STEPS),
        ):
            inside = [each for each in every if self.low <= each <= self.high]
            if len(inside) <= TICKS:
                break
        return inside[:: math.ceil(len(inside) / TICKS) or 1] or [round(math.sqrt(self.low * self.high), 2)]

    def _near(self) -> Iterator[list[float]]:
        # distances of labels of an axis that ends below twice its beginning
        for distance in (0.05, 0.1, 0.2, 0.5) if self.high < 2 * self.low else ():
            yield [round(number * distance, 2) for number in range(int(self.high / distance) + 1)]

    def grid(
        self, width: int, words: Callable[[float], str] = "{:.4g}x".format, *, marks_one: bool = True
    ) -> Iterator[Markup]:
        """A line and a label for each tick; that of 1.0x is marked."""
        for value in self.ticks():
            y, class_ = self.y(value), "threshold" if marks_one and self.log and value == 1.0 else "grid"
            yield tag("line", class_=class_, x1=LEFT, x2=width, y1=y, y2=y)
            yield tag("text", words(value), x=LEFT - 8, y=y + 4, text_anchor="end")


def _places(count: int, width: int) -> list[float]:
    """Places of marks side by side, with even room around each."""
    step = (width - LEFT) / max(1, count)
    return [round(LEFT + step * (number + 0.5), 2) for number in range(count)]


def _labels(axis: Axis, labels: Sequence[str], places: Sequence[float], most: int = 12) -> Iterator[Markup]:
    """Labels below the axis, as many as fit."""
    every = max(1, math.ceil(len(labels) / most))
    for text, x in [*zip(labels, places, strict=True)][::every]:
        yield tag("text", text, x=x, y=axis.bottom + 18, text_anchor="middle")


def _svg(parts: Sequence[Markup], title: str, width: int, height: int, class_: str, role: str = "img") -> Markup:
    size = f"0 0 {width} {height + TOP}"
    return tag("svg", tag("title", title), parts, class_=class_, viewBox=size, role=role)


# --- one run ---


def sums_of(found: Comparison) -> list[tuple[float, float]]:
    """Original and candidate of each pair, all timed cases together."""
    series = [(times.original, times.candidate) for times in found.cases if times.original]
    count = min((min(len(a), len(b)) for a, b in series), default=0)
    return [(sum(a[n] for a, _ in series), sum(b[n] for _, b in series)) for n in range(count)]


def times_chart(found: Comparison | None) -> Markup | None:
    """Draw what each run took: the original on the left, the candidate on the right. None without pairs."""
    if not found:
        return None
    passes = 1 if found.metric == "memory" else found.passes
    sides = [[value / passes for value in side] for side in zip(*sums_of(found), strict=True)]
    if not sides or not all(all(side) for side in sides):
        return None
    axis = Axis(min(map(min, sides)) / 1.2, max(map(max, sides)) * 1.2)
    words = size_words if found.metric == "memory" else took
    half = (RUN_WIDTH - LEFT) // 2
    parts = [*axis.grid(RUN_WIDTH, words, marks_one=False)]
    for at, side in enumerate(sides):
        left, middle = LEFT + at * half, axis.y(median(side))
        places = [left - LEFT + place for place in _places(len(side), LEFT + half - 20)]
        parts.append(tag("line", class_="middle", x1=left, x2=left + half - 20, y1=middle, y2=middle))
        for value, x in zip(side, places, strict=True):
            kind, title = ("kept", "solved")[at], tag("title", words(value))
            parts.append(tag("circle", title, class_=kind, cx=x, cy=axis.y(value), r=3.5))
        label = f"median {words(median(side))}"
        parts.append(tag("text", label, x=left + half // 2, y=axis.bottom + 18, text_anchor="middle"))
    whole = f"{clock(found.metric)} of each run: {words(median(sides[0]))} -> {words(median(sides[1]))}"
    return _with_key(parts, axis, whole, [("kept", "original"), ("solved", "candidate")])


def pairs_chart(found: Comparison | None) -> Markup | None:
    """Draw each pair of runs with the interval, by the metric of the verdict and by wall time. None without pairs."""
    ratios = [old / max(new, 1e-12) for old, new in sums_of(found)] if found else []
    if not found or not ratios:
        return None
    other = found.wall_ratios if found.metric != "wall" else ()
    ends = [each for each in (found.ci_low, found.ci_high) if 0 < each < math.inf]
    shown = [*ratios, *other, *ends]
    # factor up to which pairs are shown together with 1.0x
    axis = Axis.around(shown, from_one=min(shown) < 1.5)
    places = _places(len(ratios), RUN_WIDTH)
    low, high = axis.y(found.ci_low or axis.low), axis.y(found.ci_high)
    centre = axis.y(found.ratio)
    parts = [
        tag("rect", class_="band", x=LEFT, width=RUN_WIDTH - LEFT, y=high, height=max(1.0, low - high)),
        *axis.grid(RUN_WIDTH),
        tag("line", class_="middle", x1=LEFT, x2=RUN_WIDTH, y1=centre, y2=centre),
        *_dots(axis, other, places, "wall"),
        *_dots(axis, ratios, places, "solved"),
        tag("text", "pair", x=LEFT - 8, y=axis.bottom + 18, text_anchor="end"),
        *_labels(axis, [str(number + 1) for number in range(len(ratios))], places),
    ]
    names = [("solved", f"each pair, {clock(found.metric)}"), *([("wall", clock("wall"))] if other else [])]
    words = f"{len(ratios)} pairs, {factor(found.ratio)}, interval {factor(found.ci_low)} to {factor(found.ci_high)}"
    return _with_key(parts, axis, f"Pairs of runs, original time over draft's time: {words}",
                     [*names, ("band", "interval")])  # fmt: skip


def _dots(axis: Axis, values: Sequence[float], places: Sequence[float], kind: str) -> Iterator[Markup]:
    for number, (value, x) in enumerate(zip(values, places, strict=False), 1):
        yield tag("circle", tag("title", f"pair {number}: {factor(value)}"), class_=kind, cx=x, cy=axis.y(value), r=3.5)


@dataclass(frozen=True)
class RoundPoint:
    """A draft on the path of a run."""

    round: int
    kind: str
    """Class of the mark: solved (faster), kept (right, no faster), failed (wrong)."""
    ratio: float | None
    """Original time over its time. None if it was not timed."""
    words: str


def round_point(candidate: Candidate) -> RoundPoint:
    """Return a draft's point. Without pairs it uses the time of the original that was measured with it."""
    found, ratio = candidate.comparison, None
    if found is not None and found.pairs:
        ratio = found.ratio
    elif candidate.correct:
        ratio = dict(candidate.ablation).get("original")
    if not candidate.correct or candidate.rejection:
        return RoundPoint(candidate.round, "failed", ratio, word_of(candidate))
    if ratio is None:
        return RoundPoint(candidate.round, "kept", None, word_of(candidate))
    return RoundPoint(candidate.round, "solved" if ratio > 1 else "kept", ratio, factor(ratio))


def rounds_chart(drafts: Sequence[Candidate], best: int | None) -> Markup | None:
    """Draw the speedup of each round, with the best so far as a line.

    Wrong drafts are at the bottom. None without drafts.
    """
    points = [round_point(each) for each in drafts]
    if not points:
        return None
    axis = Axis.around([each.ratio for each in points if each.ratio])
    places = _places(len(points), RUN_WIDTH)
    path, so_far = [f"{LEFT},{axis.y(1.0)}"], 1.0
    marks = []
    for x, point in zip(places, points, strict=True):
        if point.kind == "solved" and point.ratio and point.ratio > so_far:
            path.append(f"{x},{axis.y(so_far)}")
            so_far = point.ratio
            path.append(f"{x},{axis.y(so_far)}")
        title = tag("title", f"round {point.round}: {point.words}{', accepted' * (point.round == best)}")
        y = axis.y(point.ratio) if point.ratio and point.kind != "failed" else axis.bottom
        marks.append(_round_mark(point, x, y, title))
        if point.round == best:
            marks.append(tag("circle", class_="chosen", cx=x, cy=axis.y(point.ratio or 1.0), r=8))
    path.append(f"{RUN_WIDTH},{axis.y(so_far)}")
    line = tag("polyline", class_="line", points=" ".join(path))
    below = tag("text", "round", x=LEFT - 8, y=axis.bottom + 18, text_anchor="end")
    labels = _labels(axis, [str(number + 1) for number in range(len(points))], places)
    parts = [*axis.grid(RUN_WIDTH), line, *marks, below, *labels]
    wrong = sum(each.kind == "failed" for each in points)
    words = f"{len(points)} candidates, {wrong} wrong or rejected, the best {factor(so_far)}"
    key = [("solved", "faster"), ("kept", "not faster"), ("failed", "wrong or rejected"), ("chosen", "accepted")]
    return _with_key(parts, axis, f"Speedup by round: {words}", key)


def _round_mark(point: RoundPoint, x: float, y: float, title: Markup) -> Markup:
    if point.kind == "failed":  # a cross: colour alone would not tell it
        arms = f"M{x - 5},{y - 5}L{x + 5},{y + 5}M{x - 5},{y + 5}L{x + 5},{y - 5}"
        return tag("path", title, class_="cross", d=arms)
    return tag("circle", title, class_=point.kind, cx=x, cy=y, r=5)


def _with_key(parts: Sequence[Markup], axis: Axis, title: str, key: Sequence[tuple[str, str]]) -> Markup:
    names = tag("div", [tag("span", text, class_=f"k-{kind}") for kind, text in key], class_="key")
    return tag("figure", names, _svg(parts, title, RUN_WIDTH + 6, axis.height + BELOW, "chart runs"))


# --- a batch ---


@dataclass(frozen=True)
class Mark:
    """One problem in a chart."""

    name: str
    kind: str
    """Class of the mark: solved, kept (nothing accepted), failed."""
    value: float
    low: float | None = None
    high: float | None = None
    human: float | None = None
    cost: float = 0.0
    """Cost in the known unit."""


@dataclass(frozen=True)
class RoundShares:
    """Shares of the problems after some drafts."""

    drafts: int
    correct: float
    solved: float
    low: float
    high: float


def anchor(name: str) -> str:
    """The id of a problem's details in the page."""
    return "p-" + "".join(c if c.isalnum() and c.isascii() else f"_{ord(c):x}_" for c in name)


def speedups(marks: Iterable[Mark], threshold: float) -> Markup:
    """The speedups of all problems, fastest first; references as hollow diamonds."""
    marks = sorted(marks, key=lambda m: (-m.value, m.name))
    human = [m.human or 1.0 for m in marks]
    highest = max([2.0, *(m.value for m in marks), *human])
    if len(marks) <= LABELLED:
        scale = Axis(1.0, highest)
        bars = []
        for m in marks:
            share, reference = scale.share(m.value), scale.share(m.human) if m.human else None
            bars.append(_bar(m, share, Speedup(m.value, m.low, m.high, 0).factor, reference))
        return _bars(bars)
    axis = Axis(min([0.9, *human]), max([highest, *(m.high or 1.0 for m in marks)]) * 1.15, 300)
    y, places = axis.y(threshold), _places(len(marks), BATCH_WIDTH - RIGHT)
    note, size = f"%OPT threshold {factor(threshold)}", min(4.5, max(1.5, 290 / len(marks)))
    parts = [
        *axis.grid(BATCH_WIDTH - RIGHT),
        tag("line", class_="threshold", x1=LEFT, x2=BATCH_WIDTH - RIGHT, y1=y, y2=y),
        tag("text", note, class_="note", x=BATCH_WIDTH - RIGHT, y=y - 4, text_anchor="end"),
        *(_speedup_mark(each, x, axis, size) for each, x in zip(marks, places, strict=True)),
    ]
    return _in_box(parts, axis.height + 14, "Speedups", BATCH_WIDTH, role="group")  # its links can be followed


def costs(marks: Iterable[Mark], unit: Callable[[float], str]) -> Markup:
    """The cost of each problem, in the order of the speedups."""
    marks = sorted(marks, key=lambda m: (-m.value, m.name))
    highest = max([1e-9, *(m.cost for m in marks)])
    if len(marks) <= LABELLED:
        return _bars(_bar(m, m.cost / highest, unit(m.cost)) for m in marks)
    axis = Axis(0, highest * 1.05, 120, log=False)
    parts, width = [*axis.grid(BATCH_WIDTH - RIGHT, unit)], 0.7 * (BATCH_WIDTH - RIGHT - LEFT) / len(marks)
    for m, x in zip(marks, _places(len(marks), BATCH_WIDTH - RIGHT), strict=True):
        y, title = axis.y(m.cost), tag("title", f"{m.name}: {unit(m.cost)}")
        height = max(0.5, axis.bottom - y)
        parts.append(tag("rect", title, class_=m.kind, x=x - width / 2, y=y, width=width, height=height, rx=1.5))
    return _in_box(parts, axis.height + 12, "Cost per problem", BATCH_WIDTH)


def by_round(rounds: Sequence[RoundShares], human: float | None) -> Markup:
    """%OPT and %correct after each draft, with the interval of %OPT as a band."""
    axis, width = Axis(0, 1, 190, log=False), HALF_WIDTH - RIGHT
    places = _places(len(rounds), width)
    parts = [*axis.grid(width, "{:.0%}".format)]
    if human is not None:
        parts.append(tag("line", class_="human-line", x1=LEFT, x2=width, y1=axis.y(human), y2=axis.y(human)))
    both = [*zip(places, rounds, strict=True)]
    band = [f"{x},{axis.y(r.high)}" for x, r in both] + [f"{x},{axis.y(r.low)}" for x, r in reversed(both)]
    parts.append(tag("polygon", class_="band", points=" ".join(band)))
    parts += [tag("line", class_="whisker", x1=x, x2=x, y1=axis.y(r.low), y2=axis.y(r.high)) for x, r in both]
    for kind, values in (("correct-line", [r.correct for r in rounds]), ("line", [r.solved for r in rounds])):
        dots = [*zip(places, values, strict=True)]
        parts.append(tag("polyline", class_=kind, points=" ".join(f"{x},{axis.y(v)}" for x, v in dots)))
        for x, v in dots:
            parts.append(tag("circle", tag("title", f"{v:.1%}"), class_=f"{kind}-dot", cx=x, cy=axis.y(v), r=3.5))
    parts += _labels(axis, [str(r.drafts) for r in rounds], places, most=16)
    return _in_box(parts, axis.height + BELOW, "By round", HALF_WIDTH)


def _bars(rows: Iterable[Markup]) -> Markup:
    """Return bars that fill the width of the page, as a list for screen readers."""
    return tag("ol", rows, class_="bars")


def _bar(each: Mark, share: float, figure: str, human: float | None = None) -> Markup:
    """Return the name with a link to its history, a bar of that share of the width, and the figure."""
    length = tag("span", class_=f"length {each.kind}", style=f"width:{max(0.6, 100 * share):.1f}%")
    of_human = tag("span", class_="human-mark", style=f"left:{100 * human:.1f}%") if human is not None else None
    heard = tag("span", f" reference {factor(each.human)}", class_="unseen") if of_human and each.human else None
    return tag(
        "li", tag("a", each.name, href=f"#{anchor(each.name)}", class_="name"),
        tag("span", length, of_human, class_="track"), tag("span", figure, heard, class_="figure"),
    )  # fmt: skip


def _speedup_mark(each: Mark, x: float, axis: Axis, size: float) -> Markup:
    span = ""
    parts: list[Markup] = []
    if each.low and each.high:
        span = f", 95% interval {each.low:.2f} - {each.high:.2f}"
        parts.append(tag("line", class_="whisker", x1=x, x2=x, y1=axis.y(each.low), y2=axis.y(each.high)))
    if each.human is not None:
        parts.append(tag("path", class_="human", d=f"M{x:.1f} {axis.y(each.human) - 4:.1f}l4 4l-4 4l-4 -4z"))
    parts.append(tag("circle", class_=each.kind, cx=x, cy=axis.y(each.value), r=size))
    human = "" if each.human is None else f", reference {factor(each.human)}"
    name = f"{each.name}: {factor(each.value)}{span}{human}"
    return tag("a", tag("title", name), parts, href=f"#{anchor(each.name)}", aria_label=name)


def _in_box(parts: Sequence[Markup], height: int, title: str, width: int, role: str = "img") -> Markup:
    class_ = "chart wide" if width == BATCH_WIDTH else "chart"
    return scrolls(title, _svg(parts, title, width, height, class_, role))
