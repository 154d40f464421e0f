"""The evidence of a judgement as values: what was checked, under which environments, at which sizes, and every gap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp, log
from typing import Any

from codeopt.core.errors import Diagnostic
from codeopt.core.words import factor


@dataclass(frozen=True)
class CallEvidence:
    """The calls that a function was judged by."""

    calls: int
    sources: Mapping[str, int]
    line_coverage: float | None
    """Share of the function's lines that the calls run, 0 to 1. None: not measured."""
    left_out: Mapping[str, int]
    """Number of calls that were left out, by reason."""
    tests: int
    """Tests that pass."""
    reused: bool = False
    reused_from: str | None = None
    """Time of the earlier run that the calls are from. None: they are new."""
    contract: str = ""
    """Contract of the arguments. Empty: none is known."""
    environments: Mapping[str, int] = field(default_factory=dict)
    """Number of calls that were compared in each environment."""
    ignored: tuple[str, ...] = ()
    """Differences that --ignore-difference excludes."""


@dataclass(frozen=True)
class CaseEvidence:
    """The inputs that a program was judged by."""

    total: int
    mutated_inputs: int | None = None
    """Inputs that are made from the cases."""
    pattern_breaking_inputs: int | None = None
    """Patterns of the cases that a mutated input breaks."""
    input_count: int | None = None
    """Inputs that a candidate is checked on before it is confirmed. None if inputs do not count."""
    environments: Mapping[str, int] = field(default_factory=dict)
    """Number of cases that were compared in each environment."""
    held_out: int = 0
    """Cases that no proposer saw."""
    confirmation_runs: int = 0
    """Runs on cases of the candidate that was confirmed."""


@dataclass(frozen=True)
class VersionEvidence:
    """The checks that two versions of a project were judged by."""

    output: bool
    """The command's output and files were compared."""
    mutated_commands: int
    tests: int
    tests_failed_before: int
    functions: int
    """Public functions that were judged by their calls."""
    calls: int
    new_tests: Mapping[str, Any] | None = None
    """Tests that only NEW has, on both versions."""


@dataclass(frozen=True, kw_only=True)
class CommandEvidence:
    """A project's command: how it was checked and timed."""

    command: str
    project_tests: Mapping[str, int]
    output: str
    """`compared`, or why it was not."""
    timed_command: str
    hot_region: Mapping[str, Any] | None = None
    protected_files: Mapping[str, Any]
    mutated_commands: int
    sandbox_seconds: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class PatchEvidence(CommandEvidence):
    """The same of a patch that was made, with the gain of each edit."""

    profile: Mapping[str, Any]
    edits: tuple[Mapping[str, Any], ...]
    left_out_edits: tuple[Mapping[str, Any], ...]
    benchmarks: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class TwoVersionsEvidence(CommandEvidence):
    """The same of two versions, with the public functions that differ."""

    functions: tuple[Mapping[str, Any], ...]
    base: str = ""
    """The commit that OLD is. Empty for two folders."""


@dataclass(frozen=True)
class LibraryEvidence:
    """The libraries that a function's module loads."""

    modules: int
    import_s: float
    loaded_once: bool
    why: str
    """Reason why they are loaded again in each run. Empty: they are not."""


@dataclass(frozen=True)
class WorkloadEvidence:
    """All that a judged target tells of how it was judged."""

    checked: CallEvidence | VersionEvidence | None = None
    cases: CaseEvidence | None = None
    command: PatchEvidence | TwoVersionsEvidence | CommandEvidence | None = None
    gaps: tuple[Diagnostic, ...] = ()
    """Things that could not be run, made or compared, each with its reason."""
    timed: str | None = None
    """Calls or part of the input that were timed, in words."""
    timed_sizes: tuple[int, ...] = ()
    input_seed: int | None = None
    libraries: LibraryEvidence | None = None
    calls_text: str = ""
    """Calls file that a language model wrote."""
    remarks: tuple[str, ...] = ()
    recording: Mapping[str, Any] | None = None
    """The recording of calls that came first. None without one."""

    def of_base(self, commit: str) -> WorkloadEvidence:
        """The same where OLD is a commit."""
        known = self.command
        return replace(self, command=replace(known, base=commit)) if isinstance(known, TwoVersionsEvidence) else self


# Times of a change at a few sizes of its input: what is faster for long inputs may be slower for short ones.

WORTH = 0.05
"""Least gain and least loss that count: below it two sizes do not disagree. As the minimum gain of a change."""


@dataclass(frozen=True)
class AtSize:
    """Times of one call or run."""

    size: float
    ratio: float
    """Speedup, OLD over NEW. Below 1: slower."""
    before: float
    """Seconds of the original."""
    after: float


@dataclass(frozen=True)
class BySize:
    """Times at the smallest known size, at a middle one, and at the size that is timed. Empty if they are unknown."""

    unit: str = ""
    """What a size counts: `items`, `tokens`; `n` where it is a number itself."""
    rows: tuple[AtSize, ...] = ()
    """From small to large."""

    @property
    def words(self) -> str:
        """`5 items 0.9x, 120 items 3.1x, 3,000 items 41x`."""
        return ", ".join(f"{self._at(row.size)} {factor(row.ratio)}" for row in self.rows)

    @property
    def disagreement(self) -> str:
        """`slower below about 40 items (5 items: 0.9x)`. Empty where no size disagrees with the timed one."""
        if not self.rows:
            return ""
        *smaller, timed = self.rows
        is_gain = timed.ratio > 1
        others = [at for at, row in enumerate(smaller) if (row.ratio < 1 - WORTH if is_gain else row.ratio > 1 + WORTH)]
        if not others or 1 - WORTH <= timed.ratio <= 1 + WORTH:
            return ""
        worst = max((smaller[at] for at in others), key=lambda row: abs(log(row.ratio)))
        below, above = self.rows[others[-1]], self.rows[others[-1] + 1]
        # Sizes and ratios span orders of magnitude: the line between the two points is one of their logarithms.
        share = log(below.ratio) / (log(below.ratio) - log(above.ratio))
        size = exp((1 - share) * log(below.size) + share * log(above.size))
        word = "slower" if is_gain else "faster"
        return f"{word} below about {self._at(float(f'{size:.2g}'))} ({self._at(worst.size)}: {factor(worst.ratio)})"

    def _at(self, size: float) -> str:
        count = f"{size:,.0f}"
        unit = self.unit.removesuffix("s") if count == "1" else self.unit
        return f"n = {count}" if self.unit == "n" else f"{count} {unit}"
