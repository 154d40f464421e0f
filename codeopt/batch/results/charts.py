"""Charts as inline SVG, made in Python: no script, no network, readable in print and in the dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from codeopt.batch.results.metrics import OPT, AfterRounds, Solved
from codeopt.core.words import factor
from codeopt.report.html.layout import scrolls
from codeopt.report.html.markup import Markup, tag

WIDTH = 960
_LEFT = 52
_RIGHT = 16
_TOP = 18
LABELLED = 60
"""Up to so many problems have a line with their name each."""


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


@dataclass(frozen=True)
class Axis:
    """Values to pixels, upwards."""

    low: float
    high: float
    height: int
    log: bool = False

    def y(self, value: float) -> float:
        """The place of a value; values beyond the ends stand at the end."""
        scale: Callable[[float], float] = math.log if self.log else float
        value = min(max(value, self.low), self.high)
        return _TOP + self.height * (1 - (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low)))


def mark(each: Solved) -> Mark:
    """A problem as a mark of the speedup chart."""
    kind = "solved" if each.accepted else "failed" if each.status == "failed" else "kept"
    low, high = (each.low, each.high) if each.accepted else (None, None)
    return Mark(each.id, kind, each.speedup, low, high, each.human)


def speedups(solved: Sequence[Solved]) -> Markup:
    """One mark a problem with its interval, fastest first, on a logarithmic axis; humans as hollow diamonds."""
    marks = sorted(map(mark, solved), key=lambda m: (-m.value, m.name))
    highest = max([2.0, *(m.value for m in marks), *(m.high or 1.0 for m in marks), *(m.human or 1.0 for m in marks)])
    lowest = min([0.9, *(m.human or 1.0 for m in marks)])
    axis = Axis(lowest, highest * 1.15, 300, log=True)
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(marks))
    parts = [*_grid(axis, _log_ticks(axis), lambda v: f"{v:g}x"), *_threshold(axis)]
    for number, each in enumerate(marks):
        parts.append(_speedup_mark(each, _LEFT + step * (number + 0.5), axis, min(4.5, max(1.5, step / 3))))
    return _frame(parts, axis.height + 14, "Speedups", links=True)


def named_speedups(solved: Sequence[Solved]) -> Markup:
    """A line a problem, on a logarithmic scale, fastest first."""
    marks = sorted(map(mark, solved), key=lambda m: (-m.value, m.name))
    highest = max([2.0, *(m.value for m in marks), *(m.human or 1.0 for m in marks)])

    def reach(value: float) -> float:
        return math.log(max(1.0, value)) / math.log(highest)

    return _bars(
        _bar(each, reach(each.value), factor(each.value), reach(each.human) if each.human else None) for each in marks
    )


def named_costs(spent: Sequence[tuple[Solved, float]], unit: Callable[[float], str]) -> Markup:
    """A line a problem, in the order of the speedups."""
    highest = max([1e-9, *(amount for _, amount in spent)])
    ordered = sorted(spent, key=lambda pair: (-pair[0].speedup, pair[0].id))
    return _bars(_bar(mark(each), amount / highest, unit(amount)) for each, amount in ordered)


def _bars(rows: Iterable[Markup]) -> Markup:
    """Bars as wide as whatever shows them, and a list to a screen reader."""
    return tag("ol", rows, class_="bars")


def _bar(each: Mark, share: float, figure: str, human: float | None = None) -> Markup:
    """Its name, which leads to its history, a bar of that share of the width, its figure."""
    length = tag("span", class_=f"length {each.kind}", style=f"width:{max(0.6, 100 * share):.1f}%")
    of_human = tag("span", class_="human-mark", style=f"left:{100 * human:.1f}%") if human is not None else None
    heard = tag("span", f" human {factor(each.human)}", class_="unseen") if of_human and each.human else None
    return tag(
        "li", tag("a", each.name, href=f"#{anchor(each.name)}", class_="name"),
        tag("span", length, of_human, class_="track"), tag("span", figure, heard, class_="figure"),
    )  # fmt: skip


def _speedup_mark(each: Mark, x: float, axis: Axis, size: float) -> Markup:
    y = axis.y(each.value)
    span = ""
    parts: list[Markup] = []
    if each.low and each.high:
        span = f", 95% interval {each.low:.2f} - {each.high:.2f}"
        parts.append(tag("line", class_="whisker", x1=x, x2=x, y1=axis.y(each.low), y2=axis.y(each.high)))
    if each.human is not None:
        h = axis.y(each.human)
        parts.append(tag("path", class_="human", d=f"M{x:.1f} {h - 4:.1f}l4 4l-4 4l-4 -4z"))
    parts.append(tag("circle", class_=each.kind, cx=x, cy=y, r=size))
    human = "" if each.human is None else f", human {factor(each.human)}"
    name = f"{each.name}: {factor(each.value)}{span}{human}"
    return tag("a", tag("title", name), parts, href=f"#{anchor(each.name)}", aria_label=name)


def anchor(name: str) -> str:
    """The id of a problem's details in the page."""
    return "p-" + "".join(c if c.isalnum() and c.isascii() else f"_{ord(c):x}_" for c in name)


def _threshold(axis: Axis) -> Iterator[Markup]:
    y = axis.y(OPT)
    yield tag("line", class_="threshold", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y, y2=y)
    yield tag("text", f"%OPT threshold {factor(OPT)}", class_="note", x=WIDTH - _RIGHT, y=y - 4, text_anchor="end")


def at_least(solved: Sequence[Solved]) -> Markup:
    """The share of the problems with a speedup of at least x: what a threshold other than 1.10x would give."""
    ours = [each.speedup for each in solved]
    humans = [each.human for each in solved if each.human is not None]
    highest = max([2.0, *ours, *humans])
    axis = Axis(0, 1, 190)
    width = WIDTH // 2 - 20

    def x(value: float) -> float:
        return _LEFT + (width - _LEFT - _RIGHT) * math.log(value) / math.log(highest)

    parts = [*_grid(axis, [0, 0.25, 0.5, 0.75, 1], lambda v: f"{v:.0%}", width)]
    for value in _log_ticks(Axis(1, highest, 1, log=True)):
        parts.append(
            tag("text", f"{value:g}x", class_="tick", x=x(value), y=_TOP + axis.height + 16, text_anchor="middle")
        )
    for values, kind in ((humans, "human-line"), (ours, "line")):
        if values:
            parts.append(tag("polyline", class_=kind, points=_survival(values, x, axis, highest)))
    return _frame(parts, axis.height + 24, "Share of problems with a speedup of at least x", width)


def _survival(values: Sequence[float], x: Callable[[float], float], axis: Axis, highest: float) -> str:
    points = []
    share = 1.0
    for number, value in enumerate(sorted(max(1.0, v) for v in values)):
        points += [(x(value), axis.y(share)), (x(value), axis.y(1 - (number + 1) / len(values)))]
        share = 1 - (number + 1) / len(values)
    points = [(x(1.0), axis.y(1.0)), *points, (x(highest), axis.y(0))]
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in points)


def by_round(rounds: Sequence[AfterRounds], human: float | None) -> Markup:
    """%OPT and %correct after each draft, with the interval of %OPT as a band."""
    axis, width = Axis(0, 1, 190), WIDTH // 2 - 20
    step = (width - _LEFT - _RIGHT) / max(1, len(rounds))
    xs = [_LEFT + step * (number + 0.5) for number in range(len(rounds))]
    parts = [*_grid(axis, [0, 0.25, 0.5, 0.75, 1], lambda v: f"{v:.0%}", width)]
    if human is not None:
        y = axis.y(human)
        parts.append(tag("line", class_="human-line", x1=_LEFT, x2=width - _RIGHT, y1=y, y2=y))
    upper = [f"{x:.1f},{axis.y(r.opt.high or 0):.1f}" for x, r in zip(xs, rounds, strict=True)]
    lower = [f"{x:.1f},{axis.y(r.opt.low or 0):.1f}" for x, r in zip(xs, rounds, strict=True)]
    parts.append(tag("polygon", class_="band", points=" ".join(upper + lower[::-1])))
    parts += [
        tag("line", class_="whisker", x1=x, x2=x, y1=axis.y(r.opt.low or 0), y2=axis.y(r.opt.high or 0))
        for x, r in zip(xs, rounds, strict=True)
    ]
    for kind, values in (("correct-line", [r.correct.value for r in rounds]), ("line", [r.opt.value for r in rounds])):
        points = [f"{x:.1f},{axis.y(v):.1f}" for x, v in zip(xs, values, strict=True)]
        parts.append(tag("polyline", class_=kind, points=" ".join(points)))
        dots = [
            tag("circle", tag("title", f"{v:.1%}"), class_=f"{kind}-dot", cx=x, cy=axis.y(v), r=3.5)
            for x, v in zip(xs, values, strict=True)
        ]
        parts += dots
    every = max(1, math.ceil(len(rounds) / 16))
    parts += [
        tag("text", str(r.k), class_="tick", x=x, y=_TOP + axis.height + 16, text_anchor="middle")
        for n, (x, r) in enumerate(zip(xs, rounds, strict=True))
        if n % every == 0
    ]
    return _frame(parts, axis.height + 24, "By round", width)


def costs(spent: Sequence[tuple[Solved, float]], unit: Callable[[float], str]) -> Markup:
    """The cost of each problem, in the order of the speedup chart."""
    paired = sorted(spent, key=lambda pair: (-pair[0].speedup, pair[0].id))
    axis = Axis(0, max([1e-9, *(amount for _, amount in spent)]) * 1.05, 120)
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(paired))
    parts = [*_grid(axis, _ticks(axis.high), unit)]
    for number, (each, amount) in enumerate(paired):
        y = axis.y(amount)
        title = tag("title", f"{each.id}: {unit(amount)}")
        parts.append(
            tag(
                "rect", title, class_=mark(each).kind, x=_LEFT + step * number + step * 0.15, y=y, width=step * 0.7,
                height=max(0.5, _TOP + axis.height - y), rx=1.5,
            )
        )  # fmt: skip
    return _frame(parts, axis.height + 12, "Cost per problem")


def _grid(axis: Axis, ticks: Sequence[float], text: Callable[[float], str], width: int = WIDTH) -> Iterator[Markup]:
    for value in ticks:
        y = axis.y(value)
        yield tag("line", class_="grid", x1=_LEFT, x2=width - _RIGHT, y1=y, y2=y)
        yield tag("text", text(value), class_="tick", x=_LEFT - 7, y=y + 4, text_anchor="end")


def _log_ticks(axis: Axis) -> list[float]:
    decades = range(math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high)) + 1)
    values = [m * 10.0**d for d in decades for m in (1, 2, 5)]
    inside = [v for v in values if axis.low <= v <= axis.high]
    return inside if len(inside) <= 12 else [v for v in inside if math.log10(v).is_integer()]


def _ticks(high: float) -> list[float]:
    """A few round numbers from 0 to `high`."""
    rough = high / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(m * size for m in (1, 2, 5, 10) if m * size >= rough)
    return [step * n for n in range(int(high / step) + 1)]


def _frame(parts: Sequence[Markup], height: int, title: str, width: int = WIDTH, *, links: bool = False) -> Markup:
    """links: what is in it can be followed, so that it is no picture to a screen reader."""
    drawing = tag(
        "svg", tag("title", title), parts,
        class_="chart wide" if width == WIDTH else "chart", viewBox=f"0 0 {width} {height + _TOP}",
        role="group" if links else "img", aria_label=title,
    )  # fmt: skip
    return scrolls(title, drawing)
