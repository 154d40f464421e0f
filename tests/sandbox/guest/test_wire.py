"""Frames between host and guest: whatever is packed comes out, and nothing else is taken for a frame."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest import wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
MESSAGES = st.dictionaries(st.text(max_size=8), JSON, max_size=5)


def reader(data: bytes) -> Callable[[int], bytes]:
    """Reads as a stream does: what is asked for, fewer at the end."""
    at = 0

    def read(size: int) -> bytes:
        nonlocal at
        part = data[at : at + size]
        at += size
        return part

    return read


@pytest.mark.full
@given(st.lists(st.tuples(MESSAGES, st.binary(max_size=300)), max_size=4))
def test_frames_come_out_as_they_went_in(frames: list[tuple[dict[str, object], bytes]]) -> None:
    read = reader(b"".join(wire.pack(message, blob) for message, blob in frames))
    assert [wire.unpack(read) for _ in frames] == frames
    with pytest.raises(wire.BrokenFrame, match="closed"):
        wire.unpack(read)


@given(MESSAGES, st.binary(max_size=50), st.data())
def test_a_frame_cut_short_is_broken(message: dict[str, object], blob: bytes, data: st.DataObject) -> None:
    frame = wire.pack(message, blob)
    cut = data.draw(st.integers(0, len(frame) - 1))
    with pytest.raises(wire.BrokenFrame):
        wire.unpack(reader(frame[:cut]))


@given(st.binary(max_size=200))
def test_noise_is_a_frame_or_broken(noise: bytes) -> None:
    try:
        message, blob = wire.unpack(reader(noise))
    except wire.BrokenFrame:
        return
    assert isinstance(message, dict)
    assert len(blob) < len(noise)


def test_sizes_are_believed_only_within_bounds() -> None:
    asked: list[int] = []

    def read(size: int) -> bytes:
        asked.append(size)
        return struct.pack("!II", 0xFFFFFFFF, 0xFFFFFFFF)[:size]

    with pytest.raises(wire.BrokenFrame, match="larger than any"):
        wire.unpack(read)
    assert asked == [8]
