"""The words of figures, said once: for the screen, pages, reviews, prompts and agents.

It stands below `report`, for tasks, guards and prompts speak of speedups too. A speedup is `2.10x faster`, a slowdown
`1.30x slower`; of memory it is `10.75x less memory`: JSON keeps the bare ratio, old over new.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codeopt_sandbox.compare import Comparison

NO_DIFFERENCE = "no significant difference"
AS_BEFORE = "as fast as before"
UNKNOWN_PRICE = "price not known"

_CLOCKS = {"cpu": "CPU time", "wall": "wall time", "memory": "peak memory"}
_MEMORY = ("less memory", "more memory")
_TIME = ("faster", "slower")


def clock(name: str) -> str:
    """The name of a clock: `CPU time`, `wall time`, `peak memory`."""
    return _CLOCKS[name]


def directions(clock: str) -> tuple[str, str]:
    """The words for a gain and for a loss by this clock."""
    return _MEMORY if clock == "memory" else _TIME


def factor(ratio: float, digits: int = 2) -> str:
    """A bare ratio: `2.10x`."""
    return f"{ratio:.{digits}f}x"


def gain(ratio: float, clock: str = "cpu", digits: int = 2) -> str:
    """A ratio, old over new, in words: `2.10x faster`, `1.30x slower`, `10.75x less memory`."""
    better, worse = directions(clock)
    return f"{factor(ratio, digits)} {better}" if ratio >= 1 else f"{factor(1 / ratio, digits)} {worse}"


def is_gain(ratio: float, clock: str = "cpu") -> str:
    """A predicate: `is 2.10x faster`, `uses 10.75x less memory`."""
    return f"{'uses' if clock == 'memory' else 'is'} {gain(ratio, clock)}"


def can_gain(ratio: float, clock: str = "cpu") -> str:
    """The predicate for a change that is offered: `can be 2.10x faster`, `can use 10.75x less memory`."""
    return f"can {'use' if clock == 'memory' else 'be'} {gain(ratio, clock)}"


def more_time(ratio: float) -> str:
    """A slowdown beside a limit in per cent: `takes 11% more time`."""
    return f"takes {1 / ratio - 1:.0%} more time"


def interval(low: float | None, high: float | None) -> str:
    """`1.80 - 2.20`; an end that is not known yet (None, 0, infinite) is a question mark."""
    return f"{_end(low)} - {_end(high)}"


def _end(value: float | None) -> str:
    return f"{value:.2f}" if value is not None and 0 < value < math.inf else "?"


@dataclass(frozen=True)
class Speedup:
    """The figures of one comparison; all of it is said from here."""

    ratio: float
    """Old over new: above 1 is a gain."""
    ci_low: float | None
    ci_high: float | None
    pairs: int
    clock: str = "cpu"
    confidence: float = 0.95
    """Confidence of the interval, 0 to 1."""

    @staticmethod
    def of(found: Comparison) -> Speedup:
        """The figures of a comparison that was made just now."""
        return Speedup(found.ratio, found.ci_low, found.ci_high, found.pairs, found.clock, found.confidence)

    @staticmethod
    def from_json(found: Mapping[str, Any]) -> Speedup:
        """The figures under `speedup` of a saved or printed result."""
        kept = {name: found[name] for name in ("clock", "confidence") if found.get(name)}
        return Speedup(found["ratio"], found.get("ci_low"), found.get("ci_high"), found.get("pairs", 0), **kept)

    @property
    def gain(self) -> str:
        """`4.20x faster`."""
        return gain(self.ratio, self.clock)

    @property
    def interval(self) -> str:
        """The interval of what `gain` says: of a slowdown that of its inverse."""
        if self.ratio >= 1:
            return interval(self.ci_low, self.ci_high)
        return interval(_inverse(self.ci_high), _inverse(self.ci_low))

    @property
    def certainty(self) -> str:
        """`95% interval 3.90 - 4.50, 21 pairs, CPU time`."""
        return f"{self._confidence} {self.interval}, {self._pairs}"

    @property
    def ratio_certainty(self) -> str:
        """The certainty of the bare ratio, below 1 too."""
        return f"{self._confidence} {interval(self.ci_low, self.ci_high)}, {self._pairs}"

    @property
    def words(self) -> str:
        """`4.20x faster (95% interval 3.90 - 4.50, 21 pairs, CPU time)`."""
        return f"{self.gain} ({self.certainty})"

    @property
    def _confidence(self) -> str:
        return f"{self.confidence:.0%} interval"

    @property
    def _pairs(self) -> str:
        return f"{counted(self.pairs, 'pair')}, {clock(self.clock)}"


def _inverse(value: float | None) -> float | None:
    return 1 / value if value else None


_ERROR = re.compile(
    r"(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Configured|NotFound|NotReady)\b"
)


def error_line(said: str, longest: int = 200) -> str:
    """The line of what a program said that tells why it failed: what pytest marks with `E`, the error below a
    traceback, `ERROR: ...` of a tool; else the last one. Empty where it said nothing."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E  ")]
    raised = [line for line in lines if _ERROR.match(line)]
    told = [line for line in lines if line.startswith(("ERROR", "error:", "fatal:"))]
    found = marked[-1:] or raised[-1:] or told[:1] or lines[-1:]
    return found[0][:longest] if found else ""


def counted(count: int, what: str) -> str:
    """`1 case`, `12 cases`."""
    return f"{count} {plural(count, what)}"


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
    """US dollars; unknown is never nought."""
    return UNKNOWN_PRICE if usd is None else f"{usd:.4f} USD"
