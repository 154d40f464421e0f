"""Where the time and memory of one program go: hot lines and functions, Python/native split, allocations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HotLine:
    """One source line of the program, as line_profiler saw it."""

    line: int
    """1-based."""
    share: float
    """Of the time of all lines, 0..1, callees of this program left out."""
    hits: int
    seconds: float
    text: str


@dataclass(frozen=True)
class HotFunction:
    """One function of the program; module-level code is called `<module>`."""

    name: str
    line: int
    share: float
    hits: int


@dataclass(frozen=True)
class MemoryLine:
    """One line that allocated, as Scalene saw it."""

    line: int
    peak_mib: float
    growth_mib: float


@dataclass(frozen=True)
class Profile:
    """One profiled run of a program on one case."""

    case: str
    lines: tuple[HotLine, ...]
    """Hottest first."""
    functions: tuple[HotFunction, ...]
    """Hottest first."""
    python_share: float | None
    """Share of time in the interpreter, 0..1; None when the run was too short for Scalene."""
    native_share: float | None
    system_share: float | None
    peak_mib: float | None
    copy_mib_s: float | None
    memory: tuple[MemoryLine, ...]
    notes: tuple[str, ...]
    """What could not be measured and why, one line each."""
