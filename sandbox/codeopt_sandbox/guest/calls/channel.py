"""Frames over two pipes, between the processes that make calls. Names are bound before the code under test can patch
them."""

from __future__ import annotations

import os

from ..boot import read_exactly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

os_write, os_fork, os_exit, waitpid, waitid = os.write, os.fork, os._exit, os.waitpid, os.waitid

PASS = b"P"
"""Fork a worker (to the importer)."""
CALLS = b"C"
"""Calls of a worker (to it)."""
CODES = b"B"
"""Code objects of calls (to a worker)."""
ENDED = b"E"
"""Exit status of a worker (from the importer), of which the clock can be read until the next is forked."""
IMPORTED = b"I"
"""The module is imported."""
FAILED = b"X"
"""Reason why the module cannot be imported."""
MISSES = b"M"
"""Reason why it cannot be imported: it misses arguments, input or files of a program."""
WARM = b"W"
"""The warm-up of a timed pass is over, and its worker takes the calls."""
GIVEN = b"K"
"""The arguments of the timed calls are made."""
READY = b"R"
"""The arguments are made and looked at."""
GO = b"G"
"""Make the timed calls (to a worker)."""
DONE = b"D"
"""The timed calls are made."""
USE = b"H"
"""Use the results (to a worker)."""
USED = b"U"
"""The results are used."""
SHOW = b"A"
"""Show the outcomes (to a worker)."""
TIMES = b"N"
"""Measurements of a run, as JSON."""
TOOK = b"T"
"""Seconds of a call."""
OUTCOME = b"O"
"""Outcome of a call, as JSON."""
TEXT = b"L"
"""A line of text about a call."""
LINES = b"V"
"""Lines that all calls ran."""
STATE = b"S"
"""State that all calls leave."""
LEFT = b"Z"
"""Settings of the process that were changed."""
FINISHED = b"F"
"""End of the pass."""
LETTERS = frozenset(
    (
        PASS,
        ENDED,
        IMPORTED,
        FAILED,
        MISSES,
        WARM,
        GIVEN,
        READY,
        DONE,
        USED,
        TOOK,
        OUTCOME,
        TEXT,
        LINES,
        STATE,
        LEFT,
        FINISHED,
    )
)
"""Messages of the importer and its workers."""


def frame(letter: bytes, data: bytes) -> bytes:
    """Four bytes of length, one letter, the data."""
    return len(data).to_bytes(4, "big") + letter + data


def frames(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Letter and data of each frame. Raises ValueError where the last is not whole."""
    at = 0
    while at < len(data):
        end = at + 5 + int.from_bytes(data[at : at + 4], "big")
        if end > len(data):
            raise ValueError("a frame that is not whole")
        yield data[at + 4 : at + 5], data[at + 5 : end]
        at = end


class Channel:
    """Frames over two pipes."""

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self.writer = reader, writer

    def send(self, letter: bytes, text: str = "") -> None:
        self.write(frame(letter, text.encode("utf-8", "surrogatepass")))

    def send_bytes(self, letter: bytes, data: bytes) -> None:
        self.write(frame(letter, data))

    def write(self, data: bytes) -> None:
        """Frames, all of them."""
        while data:
            data = data[os_write(self.writer, data) :]

    def receive(self) -> tuple[bytes, str]:
        """The next (letter, text); (b"", "") when the other side is gone."""
        letter, data = self.receive_bytes()
        return letter, data.decode("utf-8", "surrogatepass")

    def receive_bytes(self) -> tuple[bytes, bytes]:
        """The next (letter, data); (b"", b"") when the other side is gone."""
        head = read_exactly(self.reader, 5)
        if len(head) < 5:
            return b"", b""
        return head[4:], read_exactly(self.reader, int.from_bytes(head[:4], "big"))
