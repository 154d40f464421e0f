"""Channel between host and guest: frames of two lengths, a JSON object and raw bytes; a guest's setting, its jobs."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, NamedTuple  # dataclasses, with all of inspect, would take a fifth of a guest's start

_LENGTHS = struct.Struct("!II")
MAX_BLOB = 1 << 30
REMOVED = -1
"""Size that marks a given file as removed."""
SPECIAL = -2
"""Size that marks a special entry, such as a pipe."""


SCRATCH = ("/tmp", "/dev/shm")
"""Scratch folders of a guest with a file system of its own."""


class BrokenFrame(Exception):
    """The other side closed the channel or sent something that is no frame."""


def pack(message: dict[str, Any], blob: bytes = b"") -> bytes:
    text = json.dumps(message).encode()
    return _LENGTHS.pack(len(text), len(blob)) + text + blob


def unpack(read: Callable[[int], bytes], max_blob: int = MAX_BLOB) -> tuple[dict[str, Any], bytes]:
    """The next frame; `read(n)` gives exactly n bytes, or fewer at the end of the stream. Raises BrokenFrame."""
    text_size, blob_size = _LENGTHS.unpack(_exactly(read, _LENGTHS.size))
    if text_size > 8 << 20 or blob_size > max_blob:
        raise BrokenFrame(f"a frame of {text_size} + {blob_size} bytes is larger than any that we send")
    text = _exactly(read, text_size)
    try:
        message = json.loads(text)
    except ValueError as error:
        raise BrokenFrame(f"not JSON: {text[:80]!r}") from error
    if not isinstance(message, dict):
        raise BrokenFrame(f"not an object: {text[:80]!r}")
    return message, _exactly(read, blob_size)


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    data = read(size) if size else b""
    if len(data) < size:
        raise BrokenFrame("the channel was closed")
    return data


# What the host tells a guest: its configuration, once, and each run.


class Setting(NamedTuple):
    """Configuration of a guest, sent by the host once."""

    python: str
    box: str = "/box"
    """Folder of the program's file; only the supervisor needs to write there."""
    scratch: tuple[str, ...] = SCRATCH
    """Workspace a run may write to; emptied after each run. The first is its working folder."""
    env: dict[str, str] = {}  # noqa: RUF012  never changed
    pid1: bool = True
    """Own pid namespace: everything that can be seen belongs to the run."""
    uid_base: int = 0
    """First of 1000 user numbers for runs; 0 keeps the supervisor's own."""
    seccomp: bool = True
    private: str = ""
    """A folder that only the supervisor may read. Empty if there is no such folder."""
    base: str = ""
    """Read-only folder with the initial content of working folders. Empty if there is no base."""


class JobLimits(NamedTuple):
    """The fields of codeopt_sandbox.outcome.RunLimits in the guest's units."""

    wall_s: float
    memory_bytes: int
    output_bytes: int
    processes: int
    open_files: int
    file_bytes: int


class Job(NamedTuple):
    """One run."""

    exec: bool
    tool: bool
    """The program is one of our own (sandbox/codeopt_sandbox/guest_bundle.py) with its arguments, not a Python
    source."""
    limits: JobLimits
    hash_seed: int
    variables: dict[str, str]
    """Environment variables of a fresh interpreter, in place of the setting's."""
    args: list[str]
    core: int | None
    """The one core that the run has; None leaves it all."""
    files: list[list[str]] | None = None
    """[relative path, name of a kept input]: the run has a working folder of its own with them, and what it wrote there
    is reported. None: it has the first scratch folder."""
    version: int = 0
    hidden: list[str] = []  # noqa: RUF012  never changed
    """Files of the base that the run is not given."""
    libraries: str = ""
    """Name of a kept list of libraries that are imported before the run is forked, if they can be; empty for none."""
