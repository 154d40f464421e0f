"""The program that is profiled, run in this process as `__main__`."""

from __future__ import annotations

import builtins
import os
import signal
import sys
import threading
import types
from pathlib import Path

from ..boot import ROOT, read_exactly
from ..calls.import_context import Before
from ..calls.module_loader import SourceLoader, import_target
from ..calls.worker import CallWorker, read
from ..request import FunctionRef, batch_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from ..request import ProfileRequest


SETUP_S = 60.0
"""Time limit for importing a function's module and making its arguments, seconds."""


class TimeUp(BaseException):
    """Raised in the program when its time is up; no `except Exception` swallows it."""


class ProfiledProgram:
    """The program's file and its input, to be run in this process as `__main__`."""

    def __init__(self, folder: Path, request: ProfileRequest) -> None:
        self.path, self.stdin = folder / "program.py", folder / "stdin"
        self.args, self.max_seconds = request.args, request.max_seconds
        self.function = FunctionRef.read(request.function) if request.function else None
        """Function to call with the calls on the program's input. The program is a module then."""

    def compile(self) -> types.CodeType:
        """Code object of the program, under its own name."""
        return compile(self.path.read_bytes().decode(), str(self.path), "exec")

    def measured(
        self, code: types.CodeType, begin: Callable[[], Any], end: Callable[[], Any] = lambda: None
    ) -> dict[str, Any]:
        """Run it once between `begin` and `end`, for at most `max_seconds`. Return how it ended, for the host.

        A function's calls begin when its module is imported and its arguments are made.
        """

        def start() -> None:
            begin()
            signal.setitimer(signal.ITIMER_REAL, self.max_seconds, 0.1)

        signal.signal(signal.SIGALRM, alarm)
        try:
            try:
                if self.function is None:
                    start()
                else:
                    signal.setitimer(signal.ITIMER_REAL, SETUP_S, 0.1)
                return {"ended": self.run(code, start), "stopped": False}
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except TimeUp:
            return {"ended": "", "stopped": True}
        finally:
            end()

    def run(self, code: types.CodeType, begin: Callable[[], Any] = lambda: None) -> str:
        """Run its code once; return the type of the exception that ended it, or an empty text."""
        module = types.ModuleType("__main__")
        module.__dict__.update(__file__=str(self.path), __builtins__=builtins)
        sys.modules["__main__"], sys.argv = module, [str(self.path), *self.args]
        self._open_streams()
        try:
            if self.function is None:
                exec(code, module.__dict__)
            else:
                PreparedCalls(self.function, self.path.read_bytes().decode(), code).make(begin)
            for thread in threading.enumerate():
                if thread is not threading.current_thread() and not thread.daemon:
                    thread.join()
        except (TimeUp, KeyboardInterrupt):
            raise
        except SystemExit:
            pass
        except BaseException as error:
            return type(error).__name__
        return ""

    def _open_streams(self) -> None:
        """Open the program's input at its beginning, and streams that nobody has closed."""
        fd = os.open(self.stdin, os.O_RDONLY)
        os.dup2(fd, 0)
        os.close(fd)
        streams: Any = sys  # `__stdin__` is a constant to a type checker
        text: Any = {"encoding": "utf-8", "errors": "surrogateescape", "closefd": False}
        streams.stdin = streams.__stdin__ = os.fdopen(0, **text)
        streams.stdout = streams.__stdout__ = os.fdopen(1, "w", **text)


def alarm(_: int, frame: types.FrameType | None) -> None:
    """End the program. An exception in a hook of ours would be lost, so that the alarm comes again in a moment."""
    if frame is not None and frame.f_code.co_filename.startswith(ROOT):
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.1)
    else:
        raise TimeUp


def claim_streams() -> int:
    """Put /dev/null in place of stdout and stderr; return a descriptor of the real stdout."""
    result, leave = os.dup(1), os._exit
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os._exit = sys.exit  # type: ignore[assignment]  # some programs end so; the profile would be lost
    os.register_at_fork(after_in_child=lambda: setattr(os, "_exit", leave))
    return result


# The calls of a batch in the process of a profiler: every one, of the module as its users import it.


class PreparedCalls:
    """Every call on standard input, with arguments made, of a module whose code a profiler has made ready."""

    def __init__(self, ref: FunctionRef, source: str, code: CodeType) -> None:
        sys.modules.pop(ref.module, None)  # a profiler may repeat all of it
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, SourceLoader)]
        before = Before()
        self.worker = CallWorker(ref, *import_target(ref, source, code), before)
        batch = batch_of(read_exactly(0, sys.maxsize))
        codes = [compile(call, "call", "eval") for call in batch.calls]
        self.calls = [self.worker.arguments.fresh(each) for each in codes]
        if ref.asynchronous:
            self.worker.loop()

    def make(self, begin: Callable[[], Any]) -> None:
        """Make them. begin: called just before: neither the import nor the making of arguments is the function's."""
        invoke = self.worker.invoke
        begin()
        for args, kwargs in self.calls:
            try:
                read(invoke(args, kwargs), True)
            except Exception:
                continue
