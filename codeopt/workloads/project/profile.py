"""Profile of a command: functions and lines of a project, libraries by who calls them, imports, waiting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

from codeopt.report.stacks import Frame, Stack, StackProfile
from codeopt_sandbox.outcome import Run
from codeopt_sandbox.profile import MOST_OF_IT, count_words

Key = TypeVar("Key", bound=Hashable)
SAMPLED = 10
"""Number of functions that get line times from the samples."""
LIBRARIES = "libraries that the project calls"
"""Name of a part of the clock."""
START = "start of the interpreter"
"""Name of a part of the clock."""
IMPORTS = "imports"
"""Name of a part of the clock."""
OUTSIDE = "outside of the project's functions"
"""Name of a part of the clock."""
NO_LINE = "no line of the project"
QUEUED = "waiting for a free core"
"""Name of a part of the clock."""
INTERPRETER = "python"
"""Name of the interpreter's own work, which is in no file."""
N_PLUS_1 = "one query for each row (the N+1 pattern): ask once for all of them"
"""Advice on a line that repeats."""


@dataclass(frozen=True)
class Sample:
    """Some time of the command."""

    stack: Stack
    """The project's functions, the outermost first; empty where only others are at work."""
    line: int
    """Line in the file of the innermost function; 0 where it is not known."""
    library: str
    """At work below that; empty where the project's own code is."""
    importing: bool
    seconds: float

    @property
    def frames(self) -> Stack:
        """The stack with the library innermost. One without any frame is named, as all shares are of the whole."""
        return (*self.stack, *[Frame(self.library)] * bool(self.library)) or (Frame(OUTSIDE),)

    @property
    def work(self) -> str:
        """Kind of work, as `clock` names it."""
        if self.importing:
            return IMPORTS
        if not self.stack:
            return OUTSIDE
        return LIBRARIES if self.library else "the project's own code"


@dataclass(frozen=True)
class CalledBy:
    """Calls of one function by another."""

    callee: Frame | None
    caller: Frame | None
    """The calling function; None: none of the project."""
    calls: int


@dataclass(frozen=True)
class GivenArgument:
    """Values of one type that a parameter is given."""

    parameter: str
    type: str
    least: int | None = None
    """Length of what has one, an integer's value; None for other types."""
    most: int | None = None

    @property
    def words(self) -> str:
        """`list of 3 to 6,000`, `int 5`, `None`."""
        of = " of" * (self.type != "int")
        if self.least is None or self.most is None:
            return "None" if self.type == "NoneType" else self.type
        to = f" to {self.most:,}" if self.most != self.least else ""
        return f"{self.type}{of} {self.least:,}{to}"


def given_words(given: Sequence[GivenArgument]) -> str:
    """`rows: list of 3 to 6,000, key: None or str of 2`: the values by parameter."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for each in given:
        by_name[each.parameter].append(each.words)
    return ", ".join(f"{name}: {' or '.join(words)}" for name, words in by_name.items())


@dataclass(frozen=True)
class FunctionTime:
    """One function; shares are of the whole command."""

    file: str
    qualname: str
    line: int
    own_share: float
    """Share of the function with Python's own and library code that it calls, without imports, 0 to 1."""
    total_share: float
    """Share of the function with everything that it calls, imports included, 0 to 1."""
    library_share: float
    """Share of the command that the libraries called by it take."""
    calls: int | None
    """Number of calls; None where they are not counted, and the least number where counting was cut."""
    repeated: float = 0.0
    """Share of its calls with the same constant arguments as an earlier one."""
    asks_again: float = 0.0
    """Share of the command in calls made by it that repeat earlier ones: the caller could keep the answer."""
    asked: str = ""
    """The function that most of that is spent in."""
    spread_share: float = 0.0
    """Share of the function and its callees except the largest one, 0 to 1. It shows work that has no single owner."""
    given: tuple[GivenArgument, ...] = ()
    """In its first calls."""
    cut: bool = False
    """True if its calls were counted at the start of the command only."""

    @property
    def frame(self) -> Frame:
        """The function as it is on a stack."""
        return Frame(self.qualname, self.file, self.line)

    @property
    def named(self) -> str:
        """`shop/store.py::Store._find`."""
        return f"{self.file}::{self.qualname}"

    @property
    def whole_calls(self) -> int | None:
        """Number of calls in the whole command; None where it is not known."""
        return None if self.cut else self.calls

    @property
    def count(self) -> str:
        """`1,234`, `1,234+`, `?`."""
        return count_words(self.calls, cut=self.cut)

    @property
    def expected_gain(self) -> float:
        """Return the largest share of the command that can be saved, 0 to 1.

        Candidates are the function's own share, repeated calls, and work spread over several callees. Spread counts
        only for functions that are called often: one that is called a few times is the outline of the command.
        """
        # Number of calls from which on a function is called often
        spread = self.spread_share if (self.calls or 0) >= 10 else 0.0
        return max(self.own_share, self.total_share * self.repeated, self.asks_again, spread)

    @property
    def why(self) -> str:
        """Explanation of the expected gain."""
        if self.expected_gain == self.own_share:
            return f"{self.own_share:.0%} of the time is its own"
        if self.expected_gain == self.asks_again:
            return f"its calls of {self.asked} repeat earlier ones"
        if self.expected_gain == self.spread_share:
            return f"{self.spread_share:.0%} of the time is spread over what it calls, {self.count} times"
        return f"{self.repeated:.0%} of its calls repeat earlier ones"

    def to_json(self) -> dict[str, Any]:
        """A row of the field `functions`."""
        row = _rounded(asdict(self)) | {"calls": self.whole_calls}
        del row["cut"]
        return row


@dataclass(frozen=True)
class LineTime:
    """One line of a function with a share worth looking at: its part of that."""

    file: str
    line: int
    own_share: float
    """Share with the libraries that it calls, 0 to 1."""
    library_share: float = 0.0
    """Share of the command in libraries of Python that the line calls."""


@dataclass(frozen=True)
class ClockPart:
    """Part of a command's time."""

    name: str
    seconds: float


@dataclass(frozen=True)
class LibraryTime:
    """A library, by the project's line that called it; no line where none did."""

    library: str
    file: str
    line: int
    share: float

    @property
    def place(self) -> str:
        """`shop/app.py:9`"""
        return f"{self.file}:{self.line}" if self.file else NO_LINE


@dataclass(frozen=True)
class QueryLine:
    """A line of the project that has a database run statements."""

    file: str
    qualname: str
    line: int
    queries: int
    most_of_one: int
    """Number of queries of the statement that is asked most often; what only writes is left out."""
    statements: int
    """Number of different statements."""
    caller: str = ""
    """The function that has this one ask most often."""

    @property
    def repeats(self) -> bool:
        """One statement is asked for each of many rows: the N+1 pattern."""
        # Number of queries of one statement from which a line counts as repeating it
        return self.most_of_one >= 10

    @property
    def words(self) -> str:
        """`600 queries of one statement at shop/app.py:9 in order_total, most for totals`."""
        one = f" of one statement, {self.queries:,} in all," if self.statements > 1 else " of one statement"
        most = f", most for {self.caller}" if self.caller else ""
        return f"{self.most_of_one:,} queries{one} at {self.file}:{self.line} in {self.qualname}{most}"


@dataclass(frozen=True)
class WaitLine:
    """A line of the project at which the command waits."""

    file: str
    """Empty where no line of the project waits."""
    qualname: str
    line: int
    library: str
    """Library that the line called; empty for a function of C."""
    seconds: float
    share: float
    """Share of the command's wall time, 0 to 1."""
    for_others: bool
    """Threads or processes of the command itself are waited for, which may be at work."""

    @property
    def place(self) -> str:
        """`shop/app.py:9 in order_total`"""
        return f"{self.file}:{self.line} in {self.qualname}" if self.file else NO_LINE


@dataclass(frozen=True)
class ProjectProfile:
    seconds: float
    """Wall time without any profiler, and without waiting for a core, seconds."""
    cpu_s: float
    functions: tuple[FunctionTime, ...]
    """The largest own share first."""
    lines: tuple[LineTime, ...]
    libraries: tuple[LibraryTime, ...]
    imports: tuple[LibraryTime, ...]
    """The project's lines that import libraries."""
    start_share: float
    """The interpreter's own start, before the command's first line."""
    waiting_share: float
    """Share of the wall time in which the command is neither at work nor ready to be."""
    samples: tuple[Sample, ...]
    callers: tuple[CalledBy, ...] = ()
    notes: tuple[str, ...] = ()
    queries: tuple[QueryLine, ...] = ()
    """Lines that ask a database, the one with the most queries first."""
    waits: tuple[WaitLine, ...] = ()
    """Lines at which the command waits, the longest first. Empty if it waits next to nothing."""
    queued_s: float = 0.0
    """Time in which the command was ready to run and no core was free, seconds."""

    @cached_property
    def sampled_s(self) -> float:
        """Processor time that all shares are of: that of the samples, and of the interpreter's start before them."""
        return sum(each.seconds for each in self.samples) / (1 - min(self.start_share, 0.999)) or 1.0

    @property
    def clock(self) -> tuple[ClockPart, ...]:
        """Return the command's time by its use, the largest first.

        With several processes or threads the parts add up to more than the wall time.
        """
        work = _added((each.work, each.seconds) for each in self.samples)
        parts = {name: seconds / self.sampled_s * self.cpu_s for name, seconds in work.items()}
        parts[START] = self.start_share * self.cpu_s
        parts["waiting"] = self.waiting_share * self.seconds
        parts[QUEUED] = self.queued_s
        ranked = sorted(parts.items(), key=lambda part: -part[1])
        return tuple(ClockPart(name, seconds) for name, seconds in ranked if seconds > 0)

    @property
    def parts(self) -> tuple[ClockPart, ...]:
        """Return the same without the wait for a core, which depends on the machine and not on the command."""
        return tuple(part for part in self.clock if part.name != QUEUED)

    @property
    def waits_most(self) -> bool:
        """Return True if the command waits for most of its time: computing less does not shorten that."""
        return self.waiting_share > MOST_OF_IT

    @property
    def repeated_queries(self) -> tuple[QueryLine, ...]:
        """Lines that run one statement over and over."""
        return tuple(each for each in self.queries if each.repeats)

    @property
    def targets(self) -> tuple[FunctionTime, ...]:
        """Functions by what could be gained in them, the largest first."""
        named = [f for f in self.functions if f.qualname != "<module>" and f.expected_gain > 0]
        return tuple(sorted(named, key=lambda f: (-f.expected_gain, -f.total_share)))

    def stacks(self, name: str) -> StackProfile:
        """Processor time by the project's functions, a library innermost, and the interpreter's start."""
        start = ((Frame(START),), self.start_share * self.sampled_s)
        return StackProfile.of(name, "seconds", [*((each.frames, each.seconds) for each in self.samples), start])

    def to_json(self) -> dict[str, Any]:
        """The object that `codeopt profile --run --json` prints."""
        rows = {
            name: [_rounded(asdict(row)) for row in getattr(self, name)]
            for name in ("lines", "libraries", "imports", "queries", "waits")
        }
        return {
            "seconds": round(self.seconds, 4),
            "cpu_seconds": round(self.cpu_s, 4),
            "functions": [f.to_json() for f in self.functions],
            **rows,
            "targets": [
                {"file": f.file, "qualname": f.qualname, "expected_gain": round(f.expected_gain, 4), "why": f.why}
                for f in self.targets
            ],
            "start_share": round(self.start_share, 4),
            "waiting_share": round(self.waiting_share, 4),
            "wall_time_parts": [_rounded(asdict(part)) for part in self.clock],
            "notes": list(self.notes),
        }


NO_PROFILE = ProjectProfile(0.0, 0.0, (), (), (), (), 0.0, 0.0, ())
"""Profile of a command that is only compared."""


def make_profile(
    plain: Run,
    samples: Sequence[Sample],
    calls: Sequence[CalledBy] | None,
    begun_s: float,
    repeated: Mapping[Frame, float],
    given: Mapping[Frame, tuple[GivenArgument, ...]],
    *,
    cut: bool = False,
) -> ProjectProfile:
    """From what was seen.

    Args:
        plain: The command unprofiled.
        samples: All samples.
        calls: None where they are not known.
        begun_s: CPU seconds before the first sample.
        repeated: Share of the calls of functions that repeat earlier ones, 0 to 1.
        given: Arguments of the first calls of functions.
        cut: Calls were counted at the start of the command only.
    """
    total = sum(each.seconds for each in samples) + begun_s or 1.0
    own, library = _own(samples), _own([each for each in samples if each.library])
    inside = _added((spot, each.seconds) for each in samples for spot in set(each.stack))
    largest: dict[Frame, float] = defaultdict(float)  # seconds of the largest callee of each function
    for (caller, _), seconds in _added(
        (p, each.seconds) for each in samples for p in set(pairwise(each.stack))
    ).items():
        largest[caller] = max(largest[caller], seconds)
    by: dict[Frame, int] = defaultdict(int)
    for call in calls or ():
        if call.callee is not None:
            by[call.callee] += call.calls
    functions = [
        FunctionTime(
            spot.file, spot.name, spot.line, own.get(spot, 0.0) / total, seconds / total,
            library.get(spot, 0.0) / total, by.get(spot),
            repeated.get(spot, 0.0), spread_share=(seconds - largest.get(spot, 0.0)) / total,
            given=given.get(spot, ()), cut=cut,
        )
        for spot, seconds in inside.items()
    ]  # fmt: skip
    functions = _with_callers(functions, calls or ())
    return ProjectProfile(
        seconds=plain.active_s, cpu_s=plain.cpu_s,
        functions=tuple(sorted(functions, key=lambda f: (-f.own_share, -f.total_share, f.file, f.line))),
        lines=(),
        libraries=_libraries(samples, total, lambda e: bool(e.library or not e.stack) and not e.importing),
        imports=_libraries(samples, total, lambda e: e.importing),
        start_share=begun_s / total,
        waiting_share=plain.waiting_share,
        samples=tuple(samples), callers=tuple(calls or ()), queued_s=plain.runqueue_wait_s,
    )  # fmt: skip


def _own(samples: Iterable[Sample]) -> dict[Frame, float]:
    """Seconds in which a function is the project's innermost, imports left out."""
    return _added((each.stack[-1], each.seconds) for each in samples if each.stack and not each.importing)


def _with_callers(functions: Sequence[FunctionTime], calls: Sequence[CalledBy]) -> list[FunctionTime]:
    """Each with what those that it calls do over and over."""
    known = {f.frame: f for f in functions}
    shares: dict[Frame, dict[Frame, float]] = defaultdict(dict)
    for each in calls:
        callee = known.get(each.callee) if each.callee else None
        if callee and callee.calls and each.callee and each.caller and each.caller != each.callee:
            share = callee.total_share * callee.repeated * each.calls / callee.calls
            shares[each.caller][each.callee] = shares[each.caller].get(each.callee, 0.0) + share
    found = []
    for spot, function in known.items():
        below = shares.get(spot, {})
        most = max(below, key=lambda callee: below[callee], default=None)
        again = min(sum(below.values()), function.total_share)
        found.append(replace(function, asks_again=again, asked=most.name if most and again else ""))
    return found


def with_sampled_lines(profile: ProjectProfile) -> ProjectProfile:
    """Return the profile with lines from the samples, for the functions with the largest self time.

    A sample is taken at a loop's end or a call's end, so it can name the end of a loop for a line inside.
    """
    hot = {f.frame for f in profile.functions[:SAMPLED]}
    seen = [each for each in profile.samples if each.stack and each.line and not each.importing]
    at_work = [each for each in seen if each.stack[-1] in hot]
    own = _added(((each.stack[-1].file, each.line), each.seconds) for each in at_work)
    library = _added(((each.stack[-1].file, each.line), each.seconds) for each in at_work if each.library)
    whole = profile.sampled_s
    lines = (LineTime(*place, seconds / whole, library.get(place, 0.0) / whole) for place, seconds in own.items())
    return replace(profile, lines=tuple(sorted(lines, key=lambda line: -line.own_share)))


def given_back(
    samples: Sequence[Sample], own_s: Mapping[Frame, float], pairs: Iterable[tuple[Frame, Frame]]
) -> Sequence[Sample]:
    """Return samples to the callee if they were counted for its caller.

    A signal handler runs at a loop's end or a call's start, and a function that only computes in C has returned by
    then. Samples are moved only if another clock shows it clearly.

    Args:
        samples: Of the signal handler.
        own_s: Seconds of functions by the other clock.
        pairs: Functions with one that they call.
    """
    own = defaultdict(float, _own(samples))
    for caller, callee in pairs:
        both = own[caller] + own[callee]
        share = both * own_s[callee] / (own_s[caller] + own_s[callee] or 1.0)
        # Part of what a caller and what it calls take together
        if caller != callee and share - own[callee] > 0.25 * both:
            part, kept = (share - own[callee]) / own[caller], samples
            samples = []
            for each in kept:
                moved = part if each.stack and each.stack[-1] == caller and not each.importing else 0.0
                if moved:
                    below = (*each.stack, callee)
                    samples.append(replace(each, stack=below, line=0, seconds=each.seconds * moved))
                samples.append(replace(each, seconds=each.seconds * (1 - moved)))
            own[caller], own[callee] = both - share, share
    return samples


def _added(pairs: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    found: dict[Key, float] = defaultdict(float)
    for key, seconds in pairs:
        found[key] += seconds
    return dict(found)


def _libraries(samples: Sequence[Sample], total: float, wanted: Callable[[Sample], bool]) -> tuple[LibraryTime, ...]:
    found = _added(
        ((e.library or INTERPRETER, e.stack[-1].file if e.stack else "", e.line if e.stack else 0), e.seconds)
        for e in samples
        if wanted(e)
    )
    return tuple(LibraryTime(*key, s / total) for key, s in sorted(found.items(), key=lambda item: -item[1]))


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}
