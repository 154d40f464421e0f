"""Profiles as weighted call stacks: their tree, their functions by place, and the files of other profilers."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from codeopt.analysis.nodes import first_line, functions
from codeopt.core.errors import UsageError
from codeopt.core.words import error_line
from codeopt_sandbox import SandboxError, open_sandbox

# Weighted call stacks, the form that every sampling profiler's output can be brought into.


class Frame(NamedTuple):
    """One function on a stack."""

    name: str
    file: str = ""
    """Path as the profiler saw it. Empty for code in no file."""
    line: int = 0
    """A line of the function, its definition's or the one at work. 0: not known."""

    @property
    def words(self) -> str:
        """`name (file.py:12)`, as py-spy writes it; a semicolon would end the frame."""
        where = f" ({self.file}:{self.line})" if self.line else f" ({self.file})"
        return f"{self.name}{where if self.file else ''}".replace(";", ",").replace("\n", " ")


Stack = tuple[Frame, ...]
"""Frames, the outermost first."""


@dataclass(frozen=True)
class StackProfile:
    """Time by call stack."""

    name: str
    unit: str
    """`seconds`, or `samples` where the file does not say how long one is."""
    weights: tuple[tuple[Stack, float], ...]
    """Each stack once, the heaviest first."""

    @property
    def total(self) -> float:
        """Sum of all weights, in the profile's unit."""
        return sum(weight for _, weight in self.weights)

    @classmethod
    def of(cls, name: str, unit: str, stacks: Iterable[tuple[Stack, float]]) -> StackProfile:
        """A profile with equal stacks added up; those without frames or time are left out."""
        found: dict[Stack, float] = defaultdict(float)
        for stack, weight in stacks:
            if stack and 0 < weight < inf:
                found[stack] += weight
        return cls(name, unit, tuple(sorted(found.items(), key=lambda row: -row[1])))


# Call tree of a profile: each function with its time, below the one that calls it.


@dataclass(frozen=True)
class CallNode:
    """A function as called from one place."""

    frame: Frame
    share: float
    """Share with all callees from there, 0 to 1."""
    own_share: float
    below: tuple[CallNode, ...]
    """The largest first."""

    def walk(self) -> Iterator[CallNode]:
        """This node and all below it."""
        yield self
        for each in self.below:
            yield from each.walk()


def call_tree(profile: StackProfile, least: float = 0.0) -> tuple[CallNode, ...]:
    """Build the tree, from the outermost functions down.

    least: minimum share of a kept node.
    """
    # maximum depth; what lies deeper counts for the function there
    rows = [(stack[:60], weight) for stack, weight in profile.weights]
    return _nodes(rows, 0, profile.total or 1.0, least)


def _nodes(rows: Sequence[tuple[Stack, float]], depth: int, whole: float, least: float) -> tuple[CallNode, ...]:
    """Return nodes at a depth, of stacks that are equal above it. Functions that differ only by line are merged."""
    inside: dict[tuple[str, str], list[tuple[Stack, float]]] = {}
    for row in rows:
        if len(row[0]) > depth:
            frame = row[0][depth]
            inside.setdefault((frame.name, frame.file), []).append(row)
    nodes = []
    for found in inside.values():
        total = sum(weight for _, weight in found)
        if total >= least * whole:
            own = sum(weight for stack, weight in found if len(stack) == depth + 1)
            frame = found[0][0][depth]
            nodes.append(CallNode(frame, total / whole, own / whole, _nodes(found, depth + 1, whole, least)))
    return tuple(sorted(nodes, key=lambda node: -node.share))


# Functions of a project by where a profiler saw them: another checkout, an installed package, an earlier version.

INSTALLED = re.compile(r".*/(?:site|dist)-packages/")
STANDARD = re.compile(r".*/lib/python3\.\d+/")
SOURCES = ("src", "lib")
"""Folders of a repository that an installed package does not keep."""
MODULE = "<module>"


class SourcePlaces:
    """Functions of some files.

    texts: source of each file, by its path in the project.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._spans: dict[str, list[tuple[int, int, str]]] = {}
        self._known: dict[Frame, tuple[str, str] | None] = {}

    def find(self, frame: Frame) -> tuple[str, str] | None:
        """Path and qualified name, empty if no function there has it. None for other files."""
        if frame not in self._known:
            path = self._path(frame.file.replace("\\", "/"))
            self._known[frame] = None if path is None else (path, self._function(path, frame))
        return self._known[frame]

    @cached_property
    def _files(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._texts:
            found[PurePosixPath(path).name].append(path)
        return found

    def _path(self, seen: str) -> str | None:
        """Return the one path that a profile's file can be. None if no path fits, or several."""
        installed = INSTALLED.match(seen)
        if not installed and STANDARD.match(seen):
            return None
        inside = seen[installed.end() :] if installed else seen.removeprefix("./")
        fits: dict[str, int] = {}
        for path in self._files.get(PurePosixPath(seen).name, ()):
            first, _, rest = path.partition("/")
            for each in (path, rest) if first in SOURCES and rest else (path,):
                equal = inside == each if installed else f"/{inside}".endswith(f"/{each}")
                if equal or (not installed and seen[:1] != "/" and f"/{each}".endswith(f"/{inside}")):
                    fits[path] = max(fits.get(path, 0), min(len(each), len(inside)))
        best = [path for path, length in fits.items() if length == max(fits.values())]
        return best[0] if len(best) == 1 else None

    def _function(self, path: str, frame: Frame) -> str:
        """Qualified name: by the frame's name if one function has it, else by the line. Empty for none."""
        name = frame.name.replace("<locals>.", "")
        last = name.rpartition(".")[2]
        spans = self._of_file(path)
        same = [row for row in spans if row[2].rpartition(".")[2] == last]
        exact = [row for row in same if row[2] == name or name.endswith(f".{row[2]}")]
        if len({row[2] for row in exact or same}) == 1:
            return (exact or same)[0][2]
        among = same or (spans if last.startswith("<") and last != MODULE else [])
        around = [row for row in among if row[0] <= frame.line <= row[1]]
        return max(around)[2] if around else ""

    def _of_file(self, path: str) -> list[tuple[int, int, str]]:
        """First line, last line and name of each function of a file; none where it is no Python."""
        if path not in self._spans:
            try:
                found = functions(ast.parse(self._texts[path]).body, inner=True)
                self._spans[path] = [(first_line(node), node.end_lineno or node.lineno, name) for name, node in found]
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._spans[path] = []
        return self._spans[path]


def placed(profile: StackProfile, texts: Mapping[str, str]) -> StackProfile:
    """Return a profile of another tool with a project's functions by path and qualified name.

    Other functions have no file.
    """
    places = SourcePlaces(texts)

    def frame(seen: Frame) -> Frame:
        place = places.find(seen)
        if place is None:
            return Frame(seen.words)
        return Frame(place[1] or seen.name, place[0], seen.line)

    stacks = [(tuple(frame(each) for each in stack), weight) for stack, weight in profile.weights]
    return StackProfile.of(profile.name, profile.unit, stacks)


LARGEST = 256 << 20
"""Maximum size of a file, bytes."""
FORMATS = "give speedscope JSON, collapsed stacks (py-spy, austin, perf) or a dump of cProfile"


def read_profile(path: Path, flag: str = "--profile") -> StackProfile:
    """Read a file; its format is found by its content. Raises UsageError, which names the flag that gave the path."""
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{flag} {path}: larger than {LARGEST >> 20} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{flag} {path}: {error.strerror}") from error
    try:
        found = _read(path.name, data)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, AttributeError, OverflowError) as error:
        why = str(error) if type(error) is ValueError else "it is not in the format that it begins like"
        raise UsageError(f"{flag} {path}: not a profile that can be read: {why}", hint=FORMATS) from error
    if not found.weights:
        raise UsageError(f"{flag} {path}: it holds no samples", hint=FORMATS)
    return found


def _read(name: str, data: bytes) -> StackProfile:
    text = data.lstrip()
    is_json = text[1:].lstrip()[:1] in (b'"', b"}")  # in marshal a type's code follows the brace
    # first byte of a dict in the marshal format, without and with the mark of a value that is referred to
    if data[:1] in (b"{", b"\xfb") and not is_json:
        return read_collapsed(name, pstats_lines(data))
    if text[:1] == b"{":
        found = json.loads(data)
        if str(found.get("schema", "")).startswith("codeopt."):
            raise ValueError("it is what --json prints, and `profile --run ... --export speedscope FILE` keeps one")
        return read_speedscope(name, found)
    if b"\0" in data[:4096]:
        raise ValueError("it is binary, and no dump of cProfile")
    return read_collapsed(name, data.decode("utf-8", "replace").splitlines())


# Collapsed stacks: one stack a line, `;` between its frames and a weight at the end.
#
# py-spy writes `name (file.py:12)`, austin `file.py:name:12` below `P1;T2`, perf with Python's trampoline
# `py::name:/path/file.py`; all other frames are names of functions in no known file.

PY_SPY = re.compile(r"(?P<name>.+) \((?P<file>[^()]+?)(?::(?P<line>\d+))?\)")
PERF = re.compile(r"py::(?P<name>[^:]+):(?P<file>.+)")
AUSTIN = re.compile(r"(?P<file>[^:]*[\\/.][^:]*|<[^:>]+>):(?P<name>[^:]+):(?P<line>\d+)(?::\d+)*")
TASK = re.compile(r"P\d+|T[\d:]*[0-9A-Fa-fx]+|(?:process|thread) .*")
"""A process or a thread, which is no function."""
METRICS = re.compile(r"(.*) (\d+(?:\.\d+)?(?:,-?\d+)*)\s*")
"""A stack and its weight; austin's full mode has time, whether the thread was idle, and memory."""


def write_collapsed(profile: StackProfile) -> str:
    """One line a stack, in microseconds where the profile's unit is time."""
    scale = 1e6 if profile.unit == "seconds" else 1.0
    rows = ((";".join(frame.words for frame in stack), round(weight * scale)) for stack, weight in profile.weights)
    return "".join(f"{stack} {weight}\n" for stack, weight in rows if weight)


def read_collapsed(name: str, lines: Iterable[str]) -> StackProfile:
    """The stacks of a file. Raises ValueError where a line is not in the format."""
    rows: list[tuple[Stack, float]] = []
    austin: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            key, _, value = line[1:].partition(":")
            austin[key.strip()] = value.strip()
        elif line.strip():
            found = METRICS.fullmatch(line)
            if found is None:
                raise ValueError(f"line {number} does not end with a number")
            weight, *rest = found[2].split(",")
            if rest[:1] != ["1"]:  # the thread was idle
                rows.append((tuple(_frames(found[1])), float(weight)))
    if austin.get("mode") == "memory":
        raise ValueError("it is a profile of memory, not of time")
    if austin:
        return StackProfile.of(name, "seconds", ((stack, weight / 1e6) for stack, weight in rows))
    return StackProfile.of(name, "samples", rows)


def _frames(stack: str) -> Iterable[Frame]:
    for text in stack.split(";"):
        if not text or TASK.fullmatch(text):
            continue
        found = PERF.fullmatch(text) or AUSTIN.fullmatch(text) or PY_SPY.fullmatch(text)
        if found is None:
            yield Frame(text)
        else:
            yield Frame(found["name"], found["file"], int(found.groupdict().get("line") or 0))


# The file format of speedscope: written by py-spy, austin2speedscope and others, and read by
# https://www.speedscope.app.

SECONDS = {"seconds": 1.0, "milliseconds": 1e-3, "microseconds": 1e-6, "nanoseconds": 1e-9}
"""Seconds of each unit of time that the format knows."""
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def write_speedscope(profile: StackProfile) -> str:
    """The JSON text of one sampled profile."""
    frames: dict[Frame, int] = {}
    stacks = [[frames.setdefault(frame, len(frames)) for frame in stack] for stack, _ in profile.weights]
    sampled: dict[str, Any] = {
        "type": "sampled", "name": profile.name, "unit": profile.unit if profile.unit in SECONDS else "none",
        "startValue": 0, "endValue": profile.total, "samples": stacks, "weights": [each for _, each in profile.weights],
    }  # fmt: skip
    written = [
        {"name": frame.name, **({"file": frame.file, "line": max(frame.line, 1)} if frame.file else {})}
        for frame in frames
    ]
    return json.dumps({
        "$schema": SCHEMA, "name": profile.name, "exporter": "codeopt", "activeProfileIndex": 0,
        "shared": {"frames": written}, "profiles": [sampled],
    })  # fmt: skip


def read_speedscope(name: str, found: Any) -> StackProfile:
    """The stacks of all threads of a parsed file. Raises ValueError, KeyError, TypeError, IndexError."""
    frames = [Frame(str(each["name"]), str(each.get("file") or ""), int(each.get("line") or 0))
              for each in found["shared"]["frames"]]  # fmt: skip
    units = {str(each.get("unit", "none")) for each in found["profiles"]}
    if "bytes" in units:
        raise ValueError("it is a profile of memory, not of time")
    timed = units <= SECONDS.keys()
    rows: list[tuple[Stack, float]] = []
    for each in found["profiles"]:
        scale = SECONDS[each["unit"]] if timed else 1.0
        sampled = each["type"] != "evented"
        for stack, weight in zip(each["samples"], each["weights"], strict=True) if sampled else _evented(each):
            if min(map(int, stack), default=0) < 0:
                raise IndexError(stack)
            rows.append((tuple(frames[int(at)] for at in stack), float(weight) * scale))
    return StackProfile.of(name, "seconds" if timed else "samples", rows)


def _evented(profile: Any) -> Iterator[tuple[list[int], float]]:
    """Time between two events belongs to the stack that is open then."""
    open_: list[int] = []
    last = float(profile.get("startValue", 0))
    for event in profile["events"]:
        at = float(event["at"])
        yield list(open_), at - last
        last = at
        if event["type"] == "O":
            open_.append(int(event["frame"]))
        else:
            open_.pop()


# Dumps of cProfile: pstats reads them in a sandbox, as a manipulated file can crash its `marshal`.
#
# They know who calls whom and for how long, not stacks. As gprof does, a function's own time is divided among its
# callers by the time of each in it; what is below a thousandth of all time is not followed further up.

TO_COLLAPSED = b"""
import pstats

def shown(place):
    file, line, name = place
    return (name if file == "~" else f"{name} ({file}:{line})").replace(";", ",").replace("\\n", " ")

functions = pstats.Stats("dump").stats
least = sum(row[2] for row in functions.values()) / 1000
print("# unit: microseconds")
for place, row in functions.items():
    waiting = [((place,), row[2])]
    while waiting:
        stack, seconds = waiting.pop()
        callers = {each: max(spent[3], 1e-12) for each, spent in functions[stack[0]][4].items() if each in functions}
        callers = {each: spent for each, spent in callers.items() if each not in stack}
        if not callers or len(stack) >= 40 or seconds < least:
            print(";".join(map(shown, stack)), format(seconds * 1e6, ".3f"))
        else:
            whole = sum(callers.values())
            waiting += [((each, *stack), seconds * spent / whole) for each, spent in callers.items()]
"""


def pstats_lines(data: bytes) -> Sequence[str]:
    """The stacks of a dump as collapsed ones. Raises ValueError if it is none, or if nothing can isolate it."""
    try:
        with open_sandbox("auto") as sandbox:
            run = sandbox.run(TO_COLLAPSED, files=(("dump", data),))
    except SandboxError as error:
        raise ValueError(f"a dump of cProfile is read in a sandbox: {error}") from error
    if run.exit != 0:
        raise ValueError(f"it is no dump of cProfile: {error_line(run.stderr.decode('utf-8', 'replace'))}")
    return run.stdout.decode("utf-8", "replace").splitlines()
