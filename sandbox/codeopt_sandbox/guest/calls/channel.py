"""Frames over two pipes, between the processes that make calls. Names are bound before the code under test can patch
them."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would load `enum`
import os
from _json import encode_basestring_ascii as quote
from marshal import dumps, loads

from ..boot import read_exactly, write_all

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


os_fork, os_exit, waitpid, waitid = os.fork, os._exit, os.waitpid, os.waitid


class Tell:
    """Letters of the frames that direct the importer and its workers."""

    PASS = b"P"
    """Fork a worker (to the importer)."""
    NEXT = b"G"
    """Take the next step, which may have data: the batch, code objects of calls, the state before any call (to a
    worker)."""


class Said:
    """Letters of the frames that the importer and its workers send."""

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
    DONE = b"D"
    """The timed calls are made."""
    USED = b"U"
    """The results are used."""
    DIGEST = b"Q"
    """Digest of the outcomes of a timed pass; empty where they are not plain."""
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
    FORKED = b"P"
    """The process number of a worker (from the importer)."""


SAID = frozenset([letter for letter in vars(Said).values() if type(letter) is bytes])
TIMES = b"N"
"""Measurements of a run, as JSON (from the controller to the host)."""


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
        self.send_bytes(letter, text.encode("utf-8", "surrogatepass"))

    def send_bytes(self, letter: bytes, data: bytes) -> None:
        self.write(frame(letter, data))

    def write(self, data: bytes) -> None:
        """Frames, all of them."""
        write_all(self.writer, data)

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


# Values as JSON, without `json`: that package takes longer to import than a run of calls should.


def to_json(value: Any) -> str:
    """JSON text of plain values; a tuple becomes a list. Raises TypeError for anything else."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is int or kind is float:
        return repr(value)
    if kind is list or kind is tuple:
        return "[" + ", ".join([to_json(item) for item in value]) + "]"
    if kind is dict:
        return "{" + ", ".join([quote(name) + ": " + to_json(item) for name, item in value.items()]) + "}"
    raise TypeError(f"no JSON for {kind.__name__}")


# Functions run in a forked process, whose values are read from a pipe.

SIGALRM: int = _signal.SIGALRM
SIGPROF: int = _signal.SIGPROF


def in_child(make: Callable[[], Any], seconds: float, cpu_s: float = 0.0) -> tuple[Any, int]:
    """Plain values made in a forked process, None if it makes none; and the status of the process, which a signal
    ends after `seconds`, and after so much of a processor's time where that is not 0. The status is FAILED where code
    under test ended the process well before the values were made."""
    reader, writer = os.pipe()
    pid = os_fork()
    if not pid:
        status = 1
        try:
            os.close(reader)
            _signal.signal(SIGALRM, _signal.SIG_DFL)
            _signal.setitimer(_signal.ITIMER_REAL, seconds)
            _signal.signal(SIGPROF, _signal.SIG_DFL)
            _signal.setitimer(_signal.ITIMER_PROF, cpu_s)
            write_all(writer, dumps(make()))
            status = 0
        finally:
            os_exit(status)
    os.close(writer)
    found = b""
    while part := os.read(reader, 1 << 16):
        found += part
    os.close(reader)
    status = waitpid(pid, 0)[1]
    # status of a process that ends with 1
    return (loads(found), 0) if found and not status else (None, status or 1 << 8)
