"""Standard output and error of a call: by sys.stdout, and past it, on the descriptor below."""

from __future__ import annotations

import os
import sys
from io import StringIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

os_open, os_unlink, os_dup2, os_fstat = os.open, os.unlink, os.dup2, os.fstat
os_pread, os_ftruncate = os.pread, os.ftruncate
NAMES = {1: "stdout", 2: "stderr"}


class Printed:
    """Output between `start` and `stop`."""

    def __init__(self, descriptor: Literal[1, 2] = 1) -> None:
        path = f"/tmp/.printed-{os.getpid()}-{descriptor}"  # memfd_create is among what no run may call
        self.name = NAMES[descriptor]
        self.file = os_open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        os_unlink(path)
        os_dup2(self.file, descriptor)
        self.outer: Any = getattr(sys, self.name)
        self.skipped: list[tuple[int, int]] = []
        """Spans of the file that do not count."""

    def start(self) -> None:
        """Listen to a new call."""
        self.outer = getattr(sys, self.name)
        setattr(sys, self.name, StringIO())

    def stop(self) -> str:
        """Output since `start`, text of the stream first."""
        stream = getattr(sys, self.name)
        text = str(getattr(stream, "getvalue", str)())
        setattr(sys, self.name, self.outer)
        size = os_fstat(self.file).st_size
        if not size:
            return text
        data = os_pread(self.file, min(size, 1 << 20), 0)
        os_ftruncate(self.file, 0)
        for begin, end in reversed(self.skipped):
            data = data[:begin] + data[end:]
        self.skipped.clear()
        return text + data.decode("utf-8", "backslashreplace")

    def unheard(self) -> Unheard:
        """A context in which what is written does not count."""
        return Unheard(self)


class Unheard:
    """Takes back what was written within it."""

    def __init__(self, printed: Printed) -> None:
        self.printed = printed

    def __enter__(self) -> None:
        self.stream = getattr(sys, self.printed.name)
        self.length = self.stream.tell() if type(self.stream) is StringIO else 0
        self.size = os_fstat(self.printed.file).st_size

    def __exit__(self, *error: object) -> None:
        if type(self.stream) is StringIO:
            self.stream.seek(self.length)
            self.stream.truncate()
        size = os_fstat(self.printed.file).st_size  # to cut it off now would be heard as a change of files
        if size > self.size:
            self.printed.skipped.append((self.size, size))
