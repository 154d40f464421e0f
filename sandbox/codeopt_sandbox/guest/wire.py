"""Frames on the channel between host and guest: two lengths, a JSON object, then raw bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

_LENGTHS = struct.Struct("!II")
MAX_JSON = 8 << 20
MAX_BLOB = 1 << 30
REMOVED = -1
"""Size that marks a given file as removed."""
SPECIAL = -2
"""Size that marks a special entry, such as a pipe."""


class BrokenFrame(Exception):
    """The other side closed the channel or sent something that is no frame."""


def pack(message: dict[str, Any], blob: bytes = b"") -> bytes:
    text = json.dumps(message).encode()
    return _LENGTHS.pack(len(text), len(blob)) + text + blob


def unpack(read: Callable[[int], bytes], max_blob: int = MAX_BLOB) -> tuple[dict[str, Any], bytes]:
    """The next frame; `read(n)` gives exactly n bytes, or fewer at the end of the stream. Raises BrokenFrame."""
    text_size, blob_size = _LENGTHS.unpack(_exactly(read, _LENGTHS.size))
    if text_size > MAX_JSON or blob_size > max_blob:
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
