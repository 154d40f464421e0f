"""Output of a call beside its result: standard output and error, warnings, log records.

Of warnings the category counts, of log records the level, and only those of the project's own code: a library that a
draft no longer calls may have warned, too. Texts may be worded in another way.
"""

from __future__ import annotations

import sys

from .own_code import OwnCode
from .printed import Printed
from .repr.plain import cut, modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from .function_ref import FunctionRef

WARNED = ("warn", "warn_explicit")
_ALL_LEVELS = 1
"""Log level that lets every record through."""
_WARNING = 30
"""Log level of warnings."""


class CapturedOutput:
    """Capture of a call's output between `start` and `stop`. Every warning and every level of a log is let through."""

    def __init__(self, ref: FunctionRef) -> None:
        self.own = OwnCode(ref)
        self.out, self.err = Printed(1), Printed(2)
        self.warned: list[str] = []
        self.logged: dict[str, int] = {}
        self.listens_to_logs = False
        import warnings  # only now: else it would count as imported by the module

        self.warnings: Any = warnings
        self.usual: Callable[..., Any] = warnings.showwarning
        warnings.simplefilter("always")

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

    def stop(self) -> str:
        """The output in words: ` | prints 'a'`; empty where there is none."""
        printed, error = self.out.stop(), self.err.stop()
        if self.warnings.showwarning == self.hear_warning:
            self.warnings.showwarning = self.usual
        text = f" | prints {cut(repr(printed))}" if printed else ""
        text += f" | writes to standard error {cut(repr(settled(error)))}" if error else ""
        text += f" | warns {', '.join(sorted(set(self.warned)))}" if self.warned else ""
        return text + (f" | logs {self.levels()}" if self.logged else "")

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
        """Let every level through, and hear each record before its handlers do; what these write is no output of the
        function's own."""
        usual = logging.Logger.callHandlers

        def call_handlers(logger: Any, record: Any) -> None:
            if self.own.has(record.pathname):
                low = record.levelno < _WARNING
                name = "details" if low else str(record.levelname)
                self.logged[name] = 0 if low else self.logged.get(name, 0) + 1
            with self.err.unheard(), self.out.unheard():
                usual(logger, record)

        logging.Logger.callHandlers = call_handlers
        logging.lastResort = logging.NullHandler()
        if logging.root.level == _WARNING:
            logging.root.setLevel(_ALL_LEVELS)


def settled(text: str) -> str:
    """The text without what differs from run to run: numbers, memory addresses, traceback lines, steps of a progress
    bar."""
    if "\r" in text:
        return "a line that is written again and again"
    lines = [line for line in text.split("\n") if line[:1] not in (" ", "\t")]
    head, *rest = "\n".join(lines).split("0x")
    text = "".join([head, *[part.lstrip("0123456789abcdef") for part in rest]])
    return "".join([char for char in text if not char.isdigit()])
