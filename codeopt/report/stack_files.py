"""Files of other profilers: read in any of the known formats, and written for other viewers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.words import error_line
from codeopt.report.stacks import Frame, Stack, StackProfile
from codeopt_sandbox import SandboxError, open_sandbox

LARGEST = 256 << 20
"""Maximum size of a file, bytes."""
PSTATS = (b"{", b"\xfb")
"""First byte of a dict in the marshal format, without and with the mark of a value that is referred to."""
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
    if data[:1] in PSTATS and not is_json:
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
        timed_stacks = (
            zip(each["samples"], each["weights"], strict=True) if each["type"] != "evented" else _evented(each)
        )
        for stack, weight in timed_stacks:
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
