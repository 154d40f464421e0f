"""Output of a call in addition to its result: standard output and error, by their streams and past these on the
descriptors below, warnings, log records.

Of warnings the category counts, of log records the level, and only those of the project's own code: a library that a
draft no longer calls may have warned also. Texts may be worded in another way.
"""

from __future__ import annotations

import os
import sys
from io import StringIO

from ..answer import NOTHING, Field
from ..request import OwnCode
from .outcome import text_field
from .repr.shown import LIMIT
from .repr.structure import modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, Literal

    from ..request import Filter, FunctionRef

os_open, os_unlink, os_dup2, os_fstat = os.open, os.unlink, os.dup2, os.fstat
os_pread, os_ftruncate = os.pread, os.ftruncate
NAMES = {1: "stdout", 2: "stderr"}
WARNED = ("warn", "warn_explicit")
ERRORS = ("ERROR", "CRITICAL")
QUOTED = ("prints", "writes to standard error")
_WARNING = 30
"""Log level of warnings."""


class CapturedOutput:
    """Capture of a call's output between `start` and `stop`. action: of the filter for all warnings."""

    def __init__(self, ref: FunctionRef, action: Filter) -> None:
        self.own = OwnCode(ref)
        self.out, self.err = Printed(1), Printed(2)
        self.warned: list[str] = []
        self.logged: dict[str, int] = {}
        self.listens_to_logs = False
        import warnings  # only now: else it would count as imported by the module

        self.warnings: Any = warnings
        self.usual: Callable[..., Any] = warnings.showwarning
        warnings.simplefilter(action)

    def start(self) -> None:
        """Listen to a new call."""
        self.warned.clear()
        self.logged.clear()
        self.listen_once()
        self.usual, self.warnings.showwarning = self.warnings.showwarning, self.hear_warning
        self.err.start()
        self.out.start()

    def listen_once(self) -> None:
        """Listen to log records, as soon as `logging` is loaded."""
        if not self.listens_to_logs and "logging" in modules:
            self.listens_to_logs = True
            self.listen_to_logs(modules["logging"])

    def stop(self) -> Field:
        """The output; NOTHING if nothing was written."""
        printed, error = self.out.stop(), settled(self.err.stop())
        if self.warnings.showwarning == self.hear_warning:
            self.warnings.showwarning = self.usual
        warned = ", ".join(sorted(set(self.warned)))
        logged = self.levels() if self.logged else ""
        found = {"prints": printed, "writes to standard error": error, "warns": warned, "logs": logged}
        if not any(found.values()):
            return NOTHING
        quoted = [(name, repr(text[:LIMIT]) if name in QUOTED else text) for name, text in found.items() if text]
        return text_field(repr(found), shown=" | ".join([f"{name} {text}" for name, text in quoted]))

    @property
    def complains(self) -> bool:
        """Whether an error was logged."""
        return any(level in self.logged for level in ERRORS)

    def levels(self) -> str:
        """Number of records of each level from warnings on; below, a draft may log less, but not nothing."""
        counted = [f"{count} {name}" for name, count in sorted(self.logged.items()) if count > 0]
        return ", ".join([*counted, *["details"] * (len(counted) < len(self.logged))])

    def hear_warning(self, message: Any, category: Any, *where: Any, **more: Any) -> None:
        """Replacement of warnings.showwarning."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__") in ("warnings", "_py_warnings"):
            frame = frame.f_back
        # the frame is also that of who calls a function in C which warns
        if frame is not None and self.own.has(frame.f_code.co_filename) and {*WARNED} & {*frame.f_code.co_names}:
            self.warned.append(str(getattr(category, "__qualname__", "")))

    def listen_to_logs(self, logging: Any) -> None:
        """Hear each record before its handlers do; what these write is no output of the function's own."""
        usual = logging.Logger.callHandlers

        def call_handlers(logger: Any, record: Any) -> None:
            if self.own.has(record.pathname):
                low = record.levelno < _WARNING
                name = "details" if low else str(record.levelname)
                self.logged[name] = 0 if low else self.logged.get(name, 0) + 1
            marks = self.out.mark(), self.err.mark()
            try:
                usual(logger, record)
            finally:
                self.out.forget(*marks[0])
                self.err.forget(*marks[1])

        logging.Logger.callHandlers = call_handlers
        logging.lastResort = logging.NullHandler()


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

    def mark(self) -> tuple[Any, int, int]:
        """The stream now, its length, and that of what is written past it."""
        stream = getattr(sys, self.name)
        return stream, stream.tell() if type(stream) is StringIO else 0, os_fstat(self.file).st_size

    def forget(self, stream: Any, length: int, size: int) -> None:
        """Take back what was written since a mark."""
        if type(stream) is StringIO:
            stream.seek(length)
            stream.truncate()
        now = os_fstat(self.file).st_size  # to cut it off now would be heard as a change of files
        if now > size:
            self.skipped.append((size, now))


def settled(text: str) -> str:
    """The text without what differs from run to run: numbers, memory addresses, traceback lines, steps of a progress
    bar."""
    if "\r" in text:
        return "a line that is written again and again"
    lines = [line for line in text.split("\n") if line[:1] not in (" ", "\t")]
    head, *rest = "\n".join(lines).split("0x")
    text = "".join([head, *[part.lstrip("0123456789abcdef") for part in rest]])
    return "".join([char for char in text if not char.isdigit()])
