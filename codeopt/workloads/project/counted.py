"""Exact numbers of calls of the functions that matter, in one more run of a command: their text reports each call."""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codeopt.analysis.nodes import first_line
from codeopt.workloads.function.recording.instrumented_run import Instrument
from codeopt.workloads.project.command import WATCH
from codeopt.workloads.project.event_log import COMPOUND, EventLog, Names
from codeopt.workloads.project.profile import CalledBy, FunctionTime, GivenArgument, Spot
from codeopt.workloads.source.functions import definitions
from codeopt_sandbox.guest.tests.project_counts import CALLED
from codeopt_sandbox.outcome import Files

MOST = 10
"""Number of functions that are counted for their own time, and as many for their time with all that they call."""
WIDTH = 8
"""Bytes of a count."""


@dataclass(frozen=True)
class Counted:
    """Result of such a run."""

    calls: Sequence[CalledBy]
    repeated: Mapping[Spot, float]
    given: Mapping[Spot, tuple[GivenArgument, ...]]
    own_s: Mapping[Spot, float]
    """Seconds of functions by the C profiler, as far as they are known."""
    pairs: Sequence[tuple[Spot, Spot]]
    """Functions with one that they call."""
    cut: bool
    """True if a process was counted at its start only."""


def worth_counting(functions: Sequence[FunctionTime], names: Names) -> tuple[Spot, ...]:
    """Return the functions with the most time of their own, what these and the modules may call, and those with the
    most time in all.

    A function that computes in C is rarely seen at work: its samples are its caller's.
    """
    spots = {Spot(f.file, f.qualname, f.line): f for f in functions}
    inner = [spot for spot in spots if spot.line]
    own = sorted(inner, key=lambda spot: -spots[spot].own_share)[:MOST]
    total = sorted(inner, key=lambda spot: -spots[spot].total_share)[:MOST]
    modules = sorted(spots.keys() - set(inner), key=lambda spot: -spots[spot].own_share)[:MOST]
    said = {word for spot in (*own, *modules) if spots[spot].own_share for word in names.called_in(spot)}
    below = [each for each in names.functions() if each.qualname.rpartition(".")[2] in said]
    return tuple(dict.fromkeys((*own, *total, *below[:MOST])))


def counting(functions: Sequence[Spot], *, asks: bool) -> Instrument:
    """The counter of these functions. asks: also of queries of a database."""
    return Instrument("project_counts", (WATCH, len(functions), asks))


@dataclass(frozen=True)
class Counters:
    """Files of functions that report their calls."""

    files: Files
    blocks: Mapping[str, Sequence[int]]
    """Original numbers of the lines above which a line was added, by file."""

    def original(self, place: str) -> str:
        """`/path:line` with the line's number in the original."""
        path, _, line = place[1:].rpartition(":")
        if path not in self.blocks or not line.isdigit():
            return place
        above = sum(block + added < int(line) for added, block in enumerate(self.blocks[path]))
        return f"/{path}:{int(line) - above}"


def with_counters(files: Mapping[str, bytes], functions: Sequence[Spot]) -> Counters:
    """The files of the functions, in which each reports its calls."""
    numbers: dict[str, dict[int, int]] = defaultdict(dict)
    for number, spot in enumerate(functions):
        numbers[spot.file][spot.line] = number
    made = {path: _reporting(files[path], by_line) for path, by_line in numbers.items()}
    texts = tuple((path, text) for path, (text, _) in made.items())
    return Counters(texts, {path: blocks for path, (_, blocks) in made.items()})


def _reporting(content: bytes, numbers: Mapping[int, int]) -> tuple[bytes, list[int]]:
    """A module's text with a call at the begin of functions, by their first lines; and the lines of blocks with which
    functions begin, sorted: above each the text has a line more."""
    blocks: list[int] = []
    lines = content.splitlines(keepends=True)
    found = [(node, numbers.get(first_line(node))) for _, node in definitions(ast.parse(content))]
    for node, number in sorted(found, key=lambda row: -row[0].lineno):
        body = node.body[ast.get_docstring(node, clean=False) is not None :]
        if number is None or not body:
            continue
        at, call = first_line(body[0]) - 1, f"{CALLED}({number})".encode()
        line = lines[at]
        indent = line[: len(line) - len(line.lstrip())]
        if isinstance(body[0], COMPOUND):
            lines[at] = indent + call + b"\n" + line
            blocks.append(at + 1)
        else:
            column = body[0].col_offset
            lines[at] = line[:column] + call + b"; " + line[column:]
    return b"".join(lines), sorted(blocks)


def read_counts(watched: EventLog, names: Names, functions: Sequence[Spot], counters: Counters) -> Counted:
    """Add up what the processes wrote."""
    files = {file.path.rpartition("/")[2]: file.content or b"" for file in watched.run.written}
    calls: Counter[tuple[Spot, Spot | None]] = Counter()
    for file, slot, number, caller in watched.of("slot"):
        count = files.get(str(file), b"")[WIDTH * int(slot) : WIDTH * (int(slot) + 1)]
        calls[functions[int(number)], names.spot(counters.original(str(caller)))] += int.from_bytes(
            count, sys.byteorder
        )
    seen = {spot.file for spot in names.functions()}
    own: dict[Spot, float] = defaultdict(float)
    for place, seconds in watched.of("own"):
        if spot := names.spot_in(counters.original(str(place)), seen):
            own[spot] += float(seconds)
    pairs = [
        tuple(names.spot_in(counters.original(str(place)), seen) for place in pair) for pair in watched.of("below")
    ]
    return Counted(
        [CalledBy(*pair, count) for pair, count in calls.items() if count],
        {functions[int(number)]: float(share) for number, share in watched.of("again")},
        {functions[int(number)]: tuple(_argument(row) for row in rows) for number, rows in watched.of("given")},
        own,
        [(caller, callee) for caller, callee in dict.fromkeys(pairs) if caller and callee],
        bool(watched.of("cut")),
    )


def _argument(row: Sequence[object]) -> GivenArgument:
    name, kind, *bounds = row
    return GivenArgument(str(name), str(kind), *(int(str(bound)) for bound in bounds))
