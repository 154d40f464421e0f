"""Collapsed stacks: one stack a line, `;` between its frames and a weight at the end.

py-spy writes `name (file.py:12)`, austin `file.py:name:12` below `P1;T2`, perf with Python's trampoline
`py::name:/path/file.py`; all other frames are names of functions in no known file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from codeopt.report.stacks.model import Frame, Stack, StackProfile

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
