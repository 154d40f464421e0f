"""Profile of time and memory of one program: hot lines and functions, Python/native split, allocations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any, Literal

from codeopt_sandbox.guest.request import INTERVAL, FunctionRef, ProfileRequest
from codeopt_sandbox.guest_bundle import GuestProgram
from codeopt_sandbox.outcome import Case, Run

Mode = Literal["lines", "scalene", "callees", "allocated"]
RunDriver = Callable[[GuestProgram, bytes], Run]
"""Runs the profiler on an input in the sandbox."""

MOST_OF_IT = 0.5
"""Share of the wall time from which on a program is one that waits."""
CHILDREN = 0.02
"""Smallest CPU time of child processes that is reported, as a share of the program's."""
GAIN = "the Python/native/system split and the memory profile"
TITLE = {
    "lines": "line profile",
    "scalene": "Scalene",
    "callees": "profile of what is called",
    "allocated": "memory by line",
}


_IMPORT = re.compile(r"\s*(import\s+\w|from\s+[\w.]+\s+import\b)")


@dataclass(frozen=True)
class HotLine:
    """One source line of the program: its time by samples, its hits by the interpreter's own events."""

    line: int
    """1-based."""
    share: float
    """Share of the time of all lines, 0..1, callees of this program excluded."""
    hits: int
    """Number of times that the line was reached; a comprehension in one line may count once or for each item."""
    seconds: float
    """Callees of this program left out; of one run at full speed."""
    text: str
    place: str = ""
    """`file.py:12` in a program of several files. Otherwise empty, as `line` is enough."""
    cut: bool = False
    """True if the program was stopped: the line was reached at least so often."""

    @property
    def count(self) -> str:
        """`1,234`, `1,234+`."""
        return count_words(self.hits, cut=self.cut)

    @property
    def file(self) -> str:
        """Path in a project; empty where the program is one file."""
        return self.place.rpartition(":")[0]

    @property
    def named(self) -> str:
        """Name for people."""
        return self.place or f"line {self.line}"

    @property
    def is_import(self) -> bool:
        """An import takes the time of what it imports: it is no line to improve."""
        return bool(_IMPORT.match(self.text))


@dataclass(frozen=True)
class HotFunction:
    """One function of the program; module-level code is called `<module>`."""

    name: str
    line: int
    share: float
    """Share of the time of all lines, 0..1, callees of this program excluded."""
    hits: int | None
    """Calls; for a generator, items. None: not counted."""
    total: float | None = None
    """Share with all that it calls, 0..1. None: not known."""
    cut: bool = False
    """True if the program was stopped: it was called at least so often."""

    @property
    def count(self) -> str:
        """`1,234`, `1,234+`, `?`."""
        return count_words(self.hits, cut=self.cut)


def count_words(number: int | None, *, cut: bool = False) -> str:
    """Write a count, with a plus where counting was cut, `?` where none is known."""
    if number is None:
        return "?"
    return f"{number:,}+" if cut else f"{number:,}"


@dataclass(frozen=True)
class MemoryLine:
    """One line that allocated, as Scalene saw it; of a function's calls as tracemalloc did."""

    line: int
    peak_mib: float
    growth_mib: float
    """Memory that the function's line held when the calls held most, MiB."""


@dataclass(frozen=True)
class LineSplit:
    """One line by kind of code, as Scalene saw it."""

    line: int
    python_share: float
    """Share of the CPU time that the line spends in the interpreter, 0..1; all lines add up to the program's."""
    native_share: float
    """Share of it in compiled code, 0..1."""


@dataclass(frozen=True)
class Callee:
    """One function outside of the module whose function was profiled: of its project, of a library, or in C."""

    name: str
    module: str
    """Dotted; empty for a function in C."""
    line: int
    calls: int
    share: float
    """Share of the time of all functions, 0..1, their callees excluded."""
    source: str
    """Python text of the line. Empty for a function in C, and for an unknown source."""


@dataclass(frozen=True)
class Profile:
    """One profiled run of a program on one case."""

    case: str
    lines: tuple[HotLine, ...]
    """Hottest first."""
    functions: tuple[HotFunction, ...]
    """Hottest first."""
    python_share: float | None
    """Share of CPU time in the interpreter, 0..1; None when the run was too short for Scalene.

    Scalene counts native calls of less than 5 ms as the interpreter's where no call is to be seen (`x in list`). So
    counts all of a line that runs in less than QUICK_S.
    """
    native_share: float | None
    system_share: float | None
    """Share of CPU time spent in the kernel, 0..1."""
    peak_mib: float | None
    """Growth of the process from before the program to its peak, MiB."""
    copy_mib_s: float | None
    memory: tuple[MemoryLine, ...]
    notes: tuple[str, ...]
    """Figures that could not be measured and why, one line each."""
    callees: tuple[Callee, ...] = ()
    """Largest share first."""
    split: tuple[LineSplit, ...] = ()
    """Lines by kind of code, in their order; empty when the run was too short for Scalene."""
    waiting_share: float | None = None
    """Share of the wall time in which the program neither works nor is ready to; None if it is not known."""

    @property
    def waits(self) -> str:
        """One line about a program that waits more than it works; empty for any other."""
        if self.waiting_share is None or self.waiting_share <= MOST_OF_IT:
            return ""
        return f"It waits for {self.waiting_share:.0%} of its time, and computing less does not shorten that."


def profile(
    run_driver: RunDriver,
    source: str,
    case: Case,
    *,
    seconds: float = 5.0,
    modes: Sequence[Mode] = ("lines", "scalene"),
    function: FunctionRef | None = None,
) -> Profile:
    """Profile a program on one case: one run of the guest's profiler for each mode.

    function: the program is its module, imported, and the function is called with the CallBatch on its input; only what
    the calls do counts.
    seconds: what the program may take in each mode, where it is several times slower; what was seen until then counts.
    """
    program = source.encode("utf-8", "replace")
    texts = re.split("\r\n|\r|\n", source)  # as Python counts lines; str.splitlines also cuts at form feeds
    found = Profile(case.name, (), (), None, None, None, None, None, (), ())
    for mode in modes:
        request = ProfileRequest(
            mode, len(program), len(case.stdin), token_hex(16), seconds,
            function.fields() if function else None, case.args,
        )  # fmt: skip
        header = json.dumps(request.fields()).encode()
        run = run_driver(GuestProgram("profile.__main__"), header + b"\n" + program + case.stdin)
        result = parse(run.stdout, request.marker)
        found = _note(found, *_complaints(mode, result, run))
        try:
            found = _READERS[mode](found, result, texts)
        except _GarbageError as error:
            found = _note(found, f"{TITLE[mode]}: the result was not readable ({error})")
    return replace(found, notes=tuple(dict.fromkeys(found.notes)))


def _note(found: Profile, *notes: str) -> Profile:
    return replace(found, notes=found.notes + notes)


def _coarse(found: Profile, what: str, samples: int) -> Profile:
    """Note that shares are coarse. 95 % of samples of a share of one half lie within 1 / sqrt(n) of it."""
    uncertain = max(1, samples) ** -0.5
    # uncertainty of a share by samples from which on it is reported, 0 to 1
    return _note(found, f"{what} coarse: {samples} samples, known to {uncertain:.0%}") if uncertain > 0.05 else found


# --- asking the guest ----------------------------------------------------------------------------


def parse(stdout: bytes, marker: str) -> dict[str, Any]:
    """Return the JSON object after the last marker. Empty if it is missing or invalid."""
    _, _, text = stdout.rpartition(marker.encode())
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return result if isinstance(result, dict) else {}


def _complaints(mode: str, result: dict[str, Any], run: Run) -> tuple[str, ...]:
    title = TITLE[mode]
    notes = []
    if not result:
        end = run.stop or (f"signal {run.signal}" if run.signal else f"exit status {run.exit}")
        notes.append(f"{title}: no result, the profiled run ended by itself or was ended ({end})")
    if result.get("missing") == "scalene":
        notes.append(
            f"{title}: scalene is not installed for the Python that runs the program; "
            f"`python -m pip install scalene` there gives {GAIN}"
        )
    if result.get("missing") == "release":
        notes.append(f"{title}: there is none for Python 3.15 or later, so there is no {GAIN.removeprefix('the ')}")
    if result.get("timed") is False:
        notes.append(f"{title}: no time by line, as the system lets no process read the memory of another one")
    if "error" in result:
        notes.append(f"{title}: the profiler failed ({_name(result['error'])})")
    if result.get("ended"):
        notes.append(f"{title}: the program ended with {_name(result['ended'])}")
    if result.get("memory") is False:
        notes.append(f"{title}: no memory by line, which takes a sparse file of 256 MiB; the sandbox allows less")
    if result.get("stopped") is True:
        notes.append(f"{title}: stopped at its time limit; what the program does later is not in it")
    return tuple(notes)


def _name(value: object) -> str:
    """A type's name; never another text, because the program can put there what it likes."""
    return value if isinstance(value, str) and re.fullmatch(r"\w{1,60}", value) else "an exception"


# --- reading its answer --------------------------------------------------------------------------


class _GarbageError(ValueError):
    """The result is not what our profiler writes: nothing in it is believed."""


def _rows(result: dict[str, Any], key: str, *highest: float | None) -> list[list[Any]]:
    """The list of rows `key`; each has numbers from 0 to `highest`, or a function's name for None."""
    rows = result.get(key, [])
    if not isinstance(rows, list) or len(rows) > 100_000:
        raise _GarbageError(key)
    for row in rows:
        if not isinstance(row, list) or len(row) != len(highest):
            raise _GarbageError(key)
        for value, top in zip(row, highest, strict=True):
            _check(value, top, key)
    return rows


def _check(value: object, top: float | None, key: str) -> None:
    if top is None:
        good = isinstance(value, str) and re.fullmatch(r"[\w.<>]{1,200}", value) is not None
    elif isinstance(top, int):
        good = type(value) is int and 0 <= value <= top
    else:
        good = type(value) in (int, float) and 0 <= value <= top  # type: ignore[operator]
    if not good:
        raise _GarbageError(key)


def _number(result: dict[str, Any], key: str, top: float) -> Any:
    _check(result.get(key, 0), top, key)
    return result.get(key, 0)


MAX_COUNT = 2**62
"""Largest count that is believed."""
MAX_PERCENT = 101.0
"""Largest percentage that is believed; Scalene's may pass 100 by rounding."""
MAX_MIB = 2.0**30
"""Largest amount of memory that is believed, MiB."""
MAX_S = 2.0**30
"""Longest time that is believed, seconds."""


def _read_lines(found: Profile, result: dict[str, Any], texts: list[str]) -> Profile:
    last = len(texts)
    rows = _lines_once(_rows(result, "lines", last, MAX_COUNT, MAX_COUNT))
    total = sum(ns for _, _, ns in rows) or 1
    cut = result.get("stopped") is True
    lines = [HotLine(line, ns / total, hits, ns / 1e9, texts[line - 1], cut=cut) for line, hits, ns in rows]
    functions = [
        HotFunction(name.replace(".<locals>", ""), line, ns / total, calls, cut=cut)
        for name, line, calls, ns in _rows(result, "functions", None, last, MAX_COUNT, MAX_COUNT)
    ]
    if result.get("timed") is True:
        found = _coarse(found, "line profile: the times are", _number(result, "samples", MAX_COUNT))
    peak = float(_number(result, "peak_mib", MAX_MIB))
    wall, busy, children = (float(_number(result, key, MAX_S)) for key in ("wall_s", "busy_s", "children_s"))
    # The same in seconds: the system counts it in steps of 0.01 s
    if children > max(0.04, CHILDREN * (busy + children)):
        found = _note(found, f"line profile: child processes took {children:.2f} s of CPU time, which no line shows")
    return replace(
        found,
        waiting_share=max(0.0, 1 - busy / wall) if wall else None,
        peak_mib=peak or None,
        lines=tuple(sorted(lines, key=lambda hot: (-hot.share, hot.line))),
        functions=tuple(sorted(functions, key=lambda hot: (-hot.share, hot.line))),
    )


def _lines_once(rows: list[list[Any]]) -> list[list[Any]]:
    numbers = [row[0] for row in rows]
    if 0 in numbers or len(set(numbers)) < len(numbers):
        raise _GarbageError("lines")
    return rows


QUICK_S = 2e-6
"""A line that takes less each time is the interpreter's. It handles a signal behind a call, so that Scalene sees all
samples of `dp[j] = min(dp[j], a)` in `min` and takes 88 % of a loop of it for native."""


def _read_scalene(found: Profile, result: dict[str, Any], texts: list[str]) -> Profile:
    rows = _lines_once(_rows(result, "lines", len(texts), MAX_PERCENT, MAX_PERCENT, MAX_MIB, MAX_MIB, MAX_MIB))
    if not result.keys() & {"lines"}:
        return found
    title = TITLE["scalene"]
    runs = _number(result, "runs", MAX_COUNT)
    seconds, cpu_s, busy = (float(_number(result, key, MAX_S)) for key in ("seconds", "cpu_s", "busy_s"))
    system = float(_number(result, "system", 1.0))
    quick = {hot.line for hot in found.lines if hot.seconds < QUICK_S * hot.hits}
    rows = [[row[0], row[1] + row[2], 0, *row[3:]] if row[0] in quick else row for row in rows]
    shares = [sum(row[column] for row in rows) for column in (1, 2)]
    # Scalene counts frees late, so that repeated runs add up: no line held more than the whole program.
    top = MAX_MIB if found.peak_mib is None else found.peak_mib
    memory = [MemoryLine(row[0], min(row[3], top), min(row[4], top)) for row in rows if row[3] or row[4]]
    found = replace(
        found,
        # The line profile slows down what works, and not what waits.
        waiting_share=max(0.0, 1 - busy / seconds) if seconds else found.waiting_share,
        copy_mib_s=None if result.get("memory") is False else float(sum(row[5] for row in rows)),
        memory=tuple(sorted(memory, key=lambda line: (-line.peak_mib, -line.growth_mib, line.line))),
    )
    if runs > 1:
        found = _note(found, f"{title}: one run is too short to sample, so it saw {runs} runs in a row")
    # seconds under Scalene, all runs together, below which there is no split
    if seconds < 0.1 or not sum(shares):
        return _note(found, f"{title}: still too short to sample, so there is no Python/native/system split")
    python, native = (share / sum(shares) * (1 - system) for share in shares)
    found = _coarse(found, f"{title}: the split is", max(1, round(cpu_s / INTERVAL)))
    by_line = sorted((row[:3] for row in rows if row[1] or row[2]), key=lambda row: row[0])
    split = tuple(LineSplit(line, *(share / sum(shares) * (1 - system) for share in both)) for line, *both in by_line)
    return replace(found, python_share=python, native_share=native, system_share=system, split=split)


def _read_callees(found: Profile, result: dict[str, Any], texts: list[str]) -> Profile:
    rows = result.get("callees", [])
    if not isinstance(rows, list) or len(rows) > 100:
        raise _GarbageError("callees")
    callees = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 6 or not all(isinstance(row[at], str) for at in (0, 1, 5)):
            raise _GarbageError("callees")
        for value, top in zip(row[2:5], (MAX_COUNT, MAX_COUNT, 1.0), strict=True):
            _check(value, top, "callees")
        # characters of a callee's text
        callees.append(Callee(row[0][:200], row[1][:200], row[2], row[3], float(row[4]), row[5][:20_000]))
    return replace(found, callees=tuple(callees))


def _read_allocated(found: Profile, result: dict[str, Any], texts: list[str]) -> Profile:
    rows = _lines_once(_rows(result, "allocated", len(texts), MAX_COUNT, MAX_COUNT))
    memory = [MemoryLine(line, max(held, most) / 2**20, held / 2**20) for line, held, most in rows]
    return replace(found, memory=tuple(sorted(memory, key=lambda each: (-each.peak_mib, -each.growth_mib, each.line))))


_READERS = {"lines": _read_lines, "scalene": _read_scalene, "callees": _read_callees, "allocated": _read_allocated}
