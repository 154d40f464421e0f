"""Reading of a profile that another profiler wrote, in any of the known formats."""

from __future__ import annotations

import json
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.report.stacks.collapsed import read_collapsed
from codeopt.report.stacks.model import StackProfile
from codeopt.report.stacks.pstats_file import pstats_lines
from codeopt.report.stacks.speedscope import read_speedscope

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
    if data[:1] in PSTATS and not _is_json(text):
        return read_collapsed(name, pstats_lines(data))
    if text[:1] == b"{":
        found = json.loads(data)
        if str(found.get("schema", "")).startswith("codeopt."):
            raise ValueError("it is what --json prints, and `profile --run ... --export speedscope FILE` keeps one")
        return read_speedscope(name, found)
    if b"\0" in data[:4096]:
        raise ValueError("it is binary, and no dump of cProfile")
    return read_collapsed(name, data.decode("utf-8", "replace").splitlines())


def _is_json(text: bytes) -> bool:
    """Return whether a text that begins with a brace continues as JSON. In marshal a type's code follows."""
    return text[1:].lstrip()[:1] in (b'"', b"}")
