"""Format measurements for people: ratios, intervals, durations, sizes, costs.

`Speedup` is what screens, pages and reviews show. `factor`, `gain` and `interval` always have two decimals, for texts
that a model reads and tables of rounds. JSON has the bare ratio, old over new, with all digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

if TYPE_CHECKING:
    from codeopt_sandbox.compare import Comparison
    from codeopt_sandbox.outcome import Run

NO_DIFFERENCE = "no measurable difference"
INCONCLUSIVE = "inconclusive"
AS_BEFORE = "as fast as before"

Metric = Literal["cpu", "wall", "memory"]

_MEMORY = ("less memory", "more memory")
_TIME = ("faster", "slower")
_SECONDS = ((0.1, 1.0, "s"), (1e-3, 1e-3, "ms"), (1e-6, 1e-6, "us"), (0.0, 1e-9, "ns"))
"""Least value with which a unit is used, seconds; the unit in seconds, and its name."""


def clock(name: str) -> str:
    """The name of a clock: `CPU time`, `wall time`, `peak memory`."""
    return {"cpu": "CPU time", "wall": "wall time", "memory": "peak memory"}[name]


def directions(metric: str) -> tuple[str, str]:
    """The words for a gain and for a loss by this metric."""
    return _MEMORY if metric == "memory" else _TIME


def factor(ratio: float, digits: int = 2) -> str:
    """A bare ratio: `2.10x`."""
    return f"{ratio:.{digits}f}x"


def gain(ratio: float, metric: str = "cpu", digits: int = 2) -> str:
    """A ratio, old over new, in words: `2.10x faster`, `1.30x slower`, `10.75x less memory`."""
    better, worse = directions(metric)
    return f"{factor(ratio, digits)} {better}" if ratio >= 1 else f"{factor(1 / ratio, digits)} {worse}"


def more_time(ratio: float) -> str:
    """Format a slowdown, to be shown with a limit in per cent: `takes 11% more time`."""
    return f"takes {1 / ratio - 1:.0%} more time"


def interval(low: float | None, high: float | None) -> str:
    """Format `1.80 - 2.20`. An end that is not known (None, 0, infinite) is a question mark."""
    return f"{_end(low)} - {_end(high)}"


def _end(value: float | None) -> str:
    return f"{value:.2f}" if _known(value) else "?"


def _known(value: float | None) -> TypeGuard[float]:
    return value is not None and 0 < value < math.inf


@dataclass(frozen=True)
class TimedCase:
    case: str
    ratio: float
    before: float
    """Median of the original's timed pairs, seconds or bytes."""
    after: float
    """The same of the new version."""


@dataclass(frozen=True)
class Speedup:
    """Figures of one comparison. Ratios are rounded by their interval, and the ends of that outward."""

    ratio: float
    """Speedup, OLD over NEW. Below 1: slower."""
    ci_low: float | None
    ci_high: float | None
    pairs: int
    """Timed pairs of runs. 0: the new version was given up, and `ratio` is an upper bound."""
    metric: Metric = "cpu"
    """memory: the ratio is of peaks, not of times."""
    confidence: float = 0.95
    """Confidence of the interval, 0 to 1."""
    before: float | None = None
    """Median of the original's timed pairs, in `unit`. None: not known."""
    after: float | None = None
    """The same of the new version."""
    unit: Literal["s", "bytes"] = "s"
    method: str = ""
    sandbox_instances: int = 1
    """Fresh sandbox processes that the pairs come from. The interval includes what they differ in."""
    cases: tuple[TimedCase, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError or TypeError for a ratio that no pair can have: a saved result may be damaged."""
        if not 0 < self.ratio < math.inf:
            raise ValueError(f"{self.ratio} is no ratio of two times")

    @classmethod
    def of(cls, found: Comparison) -> Speedup:
        """Return the figures of a comparison. An unknown end of the interval is None."""
        passes = 1 if found.metric == "memory" else found.passes
        return cls(
            ratio=_six_digits(found.ratio),
            ci_low=_six_digits(found.ci_low) if found.ci_low > 0 else None,
            ci_high=_six_digits(found.ci_high) if math.isfinite(found.ci_high) else None,
            pairs=found.pairs,
            metric=found.metric,
            confidence=found.confidence,
            before=found.before,
            after=found.after,
            unit="bytes" if found.metric == "memory" else "s",
            method=found.method,
            sandbox_instances=found.guests,
            cases=tuple(
                TimedCase(case.case, _six_digits(case.ratio), case.before / passes, case.after / passes)
                for case in found.cases
                if case.original
            ),
        )

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Speedup:
        """Return the figures under `speedup` of a saved or printed result, without its cases."""
        names = ("metric", "confidence", "before", "after")
        known = {name: found[name] for name in names if found.get(name)}
        return cls(found["ratio"], found.get("ci_low"), found.get("ci_high"), found.get("pairs", 0), **known)

    @property
    def factor(self) -> str:
        """`180x`, of a loss too."""
        return self._shown(max(self.ratio, 1 / self.ratio), round)

    @property
    def gain(self) -> str:
        """`180x faster`, `1.11x slower`, `11x less memory`."""
        better, worse = directions(self.metric)
        return f"{self.factor} {better if self.ratio >= 1 else worse}"

    @property
    def is_gain(self) -> str:
        """`is 180x faster`, `uses 11x less memory`."""
        return f"{'uses' if self.metric == 'memory' else 'is'} {self.gain}"

    @property
    def can_gain(self) -> str:
        """`can be 180x faster`, `can use 11x less memory`."""
        return f"can {'use' if self.metric == 'memory' else 'be'} {self.gain}"

    @property
    def change(self) -> str:
        """`45 ms -> 240 us`. Empty if the two are not known."""
        shown = size_words if self.metric == "memory" else took
        return f"{shown(self.before)} -> {shown(self.after)}" if self.before and self.after else ""

    @property
    def times(self) -> str:
        """`45 ms -> 240 us CPU time`, or the metric alone if the two are not known."""
        return f"{self.change} {clock(self.metric)}".lstrip()

    @property
    def span(self) -> str:
        """`140x to 220x`: the interval of `gain`, of a loss that of its inverse."""
        return self._span(*(self.ends if self.ratio >= 1 else self._inverse))

    @property
    def interval(self) -> str:
        """`95% CI 140x to 220x`."""
        return f"{self.confidence:.0%} CI {self.span}"

    @property
    def meaning_of_interval(self) -> str:
        """`95% CI     the true ratio is outside of it in at most 5% of runs`."""
        return (
            f"{self.confidence:.0%} CI     the true ratio is outside of it in at most {1 - self.confidence:.0%} of runs"
        )

    @property
    def bare_interval(self) -> str:
        """`95% CI 0.98x to 1.03x`: the interval of old over new, below 1 too. `7 pairs` if it is not known."""
        if not any(map(_known, self.ends)):
            return counted(self.pairs, "pair")
        return f"{self.confidence:.0%} CI {self._span(*self.ends)}"

    @property
    def certainty(self) -> str:
        """`45 ms -> 240 us CPU time, 95% CI 140x to 220x`."""
        return f"{self.times}, {self.interval}"

    @property
    def words(self) -> str:
        """`180x faster   45 ms -> 240 us CPU time   (95% CI 140x to 220x)`."""
        return f"{self.gain}   {self.times}   ({self.interval})"

    def by(self, decision: str) -> str:
        """Return the verdict of a comparison with its figures. decision: faster, slower, same or inconclusive."""
        if decision == INCONCLUSIVE:
            return f"{INCONCLUSIVE}   {self.times}, about {self.gain}   ({self.bare_interval})"
        return f"{NO_DIFFERENCE}   {self.times}   ({self.bare_interval})" if decision == "same" else self.words

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The interval of old over new."""
        return self.ci_low, self.ci_high

    @property
    def _inverse(self) -> tuple[float | None, float | None]:
        return 1 / self.ci_high if self.ci_high else None, 1 / self.ci_low if self.ci_low else None

    @property
    def _decimals(self) -> int:
        """Return the decimals of the ratio. Below 0 it is rounded to tens or hundreds."""
        ratio = max(self.ratio, 1 / self.ratio)
        low, high = self.ends if self.ratio >= 1 else self._inverse
        narrow = _known(low) and _known(high) and (high - low) / 2 < 0.02 * ratio
        return 2 if ratio < 2 else _two_digits(ratio) + narrow

    def _shown(self, ratio: float, rounding: Callable[[float], float]) -> str:
        unit = 10.0**-self._decimals
        return f"{rounding(round(ratio / unit, 6)) * unit:,.{max(self._decimals, 0)}f}x"

    def _span(self, low: float | None, high: float | None) -> str:
        shown_low = self._shown(low, math.floor) if _known(low) else "?"
        return f"{shown_low} to {self._shown(high, math.ceil) if _known(high) else '?'}"


def _six_digits(value: float) -> float:
    return float(f"{value:.6g}")


def _two_digits(value: float) -> int:
    return 1 - math.floor(math.log10(value))


def took(seconds: float) -> str:
    """Format seconds with two digits: `45 ms`, `240 us`, `0.87 s`, `6 min 44 s`."""
    if seconds >= 60:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    size, unit = next((size, unit) for least, size, unit in _SECONDS if seconds >= least)
    return f"{_rounded(seconds / size)} {unit}"


def size_words(size: float) -> str:
    """Format bytes with two digits: `12 MiB`, `40 KiB`."""
    unit = 2.0**20 if size >= 2**20 else 2.0**10
    return f"{_rounded(size / unit)} {'MiB' if size >= 2**20 else 'KiB'}"


def _rounded(value: float) -> str:
    decimals = _two_digits(value) if value else 0
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


_ERROR = re.compile(
    r"(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Configured|NotFound|NotReady)\b"
)


def error_line(said: str) -> str:
    """Return the line of a program's output that shows why it failed, or an empty text.

    The first of these that exists: pytest's last line marked with `E`, the last error line of a traceback, the first
    `ERROR: ...` of a tool, the last line.
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E  ")]
    raised = [line for line in lines if _ERROR.match(line)]
    told = [line for line in lines if line.startswith(("ERROR", "error:", "fatal:"))]
    found = marked[-1:] or raised[-1:] or told[:1] or lines[-1:]
    return found[0][:200] if found else ""


def counted(count: int, what: str) -> str:
    """`1 case`, `12 cases`."""
    return f"{count} {plural(count, what)}"


def listed(names: Sequence[object], most: int) -> str:
    """`a, b, c and 4 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more


def plural(count: int, what: str) -> str:
    """The word alone: `case`, `cases`."""
    return what if count == 1 else f"{what}s"


def share(value: float) -> str:
    """`63%`."""
    return f"{value:.0%}"


def duration(seconds: float) -> str:
    """Seconds with three digits and a unit that fits: `12.3 us`, `1.2 s`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds:.0f} s"
    return f"{seconds * 1e6:.3g} us"


def utc(seconds: float) -> str:
    """`2026-03-01T12:30:00Z`, of seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def mib(size: float) -> str:
    """MiB: `12.5 MiB`."""
    return f"{size:.1f} MiB"


def memory(size: float) -> str:
    """MiB with a unit that fits: `12.5 MiB`, `40.0 KiB`."""
    return mib(size) if size >= 1 else f"{size * 1024:.1f} KiB"


def money(usd: float | None) -> str:
    """Format US dollars. An unknown amount is never shown as 0."""
    return "price not known" if usd is None else f"{usd:.4f} USD"


def end_of_run(run: Run) -> str:
    """The end of a run that gave no answer, in one line."""
    last = error_line(run.stderr.decode("utf-8", "backslashreplace"))
    how = run.stop_detail or (f"signal {run.signal}" if run.signal else f"exit status {run.exit}")
    more = {"memory": " (--memory MiB raises it)", "time": " (--timeout S raises it)"}.get(run.stop or "", "")
    return f"{how}{more}" if more else last or how
