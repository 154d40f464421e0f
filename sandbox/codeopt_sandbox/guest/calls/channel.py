"""Frames over two pipes, between the processes that make calls. Names are bound before the code under test can patch
them."""

from __future__ import annotations

import os

from ..boot import read_exactly

os_write, os_fork, os_exit, os_kill, waitpid = os.write, os.fork, os._exit, os.kill, os.waitpid

PASS, CALLS, CODES, ENDED = b"P", b"C", b"B", b"E"
"""Messages about workers. To the importer: fork a worker; to the worker: its calls, and their code objects; from the
importer: how the worker ended."""
IMPORTED, FAILED, MISSES = b"I", b"X", b"M"
"""The module is imported, or why it cannot be; with the last, it misses arguments, input or files of a program."""
WARM, GIVEN, READY, GO, DONE, SHOW = b"W", b"K", b"R", b"G", b"D", b"A"
"""A timed pass: what warms it up is over, it takes its calls; their arguments are made; and looked at; make the calls;
they are made; show what they did."""
TOOK, OUTCOME, TEXT, LINES, STATE, LEFT, FINISHED = b"T", b"O", b"L", b"V", b"S", b"Z", b"F"
"""Messages about a call: its seconds, then its outcome, or a line of text; and at the end the lines that were run, the
state that is left, and the settings of the process."""


def frame(letter: bytes, data: bytes) -> bytes:
    """Four bytes of length, one letter, the data."""
    return len(data).to_bytes(4, "big") + letter + data


class Channel:
    """Frames over two pipes."""

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self.writer = reader, writer

    def send(self, letter: bytes, text: str = "") -> None:
        """One frame."""
        self.write(frame(letter, text.encode("utf-8", "surrogatepass")))

    def send_bytes(self, letter: bytes, data: bytes) -> None:
        """One frame."""
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
