"""The file format of speedscope: written by py-spy, austin2speedscope and others, and read by https://www.speedscope.app."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from codeopt.report.stacks.model import Frame, Stack, StackProfile

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
    return json.dumps({
        "$schema": SCHEMA, "name": profile.name, "exporter": "codeopt", "activeProfileIndex": 0,
        "shared": {"frames": [_written(frame) for frame in frames]}, "profiles": [sampled],
    })  # fmt: skip


def _written(frame: Frame) -> dict[str, Any]:
    return {"name": frame.name, **({"file": frame.file, "line": max(frame.line, 1)} if frame.file else {})}


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
        read = _evented if each["type"] == "evented" else _sampled
        rows += [(tuple(_frame(frames, at) for at in stack), weight * scale) for stack, weight in read(each)]
    return StackProfile.of(name, "seconds" if timed else "samples", rows)


def _frame(frames: list[Frame], at: int) -> Frame:
    if at < 0:
        raise IndexError(at)
    return frames[at]


def _sampled(profile: Any) -> Iterator[tuple[list[int], float]]:
    yield from ((list(map(int, stack)), float(weight))
                for stack, weight in zip(profile["samples"], profile["weights"], strict=True))  # fmt: skip


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
