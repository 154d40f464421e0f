"""The program that is profiled, run in this process as `__main__`."""

from __future__ import annotations

import builtins
import os
import signal
import sys
import threading
import types
from pathlib import Path

from ..calls.profiled import PreparedCalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from ..calls.function_ref import FunctionRef


class TimeUp(BaseException):
    """Raised in the program when its time is up; no `except Exception` swallows it."""


class ProfiledProgram:
    """The program's file and its input, to be run in this process as `__main__`."""

    def __init__(self, folder: Path, function: FunctionRef | None = None, args: Sequence[str] = ()) -> None:
        self.path = folder / "program.py"
        self.stdin = folder / "stdin"
        self.args = args
        self.function = function
        """Function to call with the calls on the program's input. The program is a module then."""
        self.begin: Callable[[], Any] = lambda: None
        """Called when the arguments are made."""

    def compile(self) -> types.CodeType:
        """Code object of the program, under its own name."""
        return compile(self.path.read_bytes().decode(), str(self.path), "exec")

    def run(self, code: types.CodeType) -> str:
        """Run its code once; return the type of the exception that ended it, or an empty text."""
        module = types.ModuleType("__main__")
        module.__dict__.update(__file__=str(self.path), __builtins__=builtins)
        sys.modules["__main__"], sys.argv = module, [str(self.path), *self.args]
        self.open_streams()
        try:
            if self.function is None:
                exec(code, module.__dict__)
            else:
                PreparedCalls(self.function, self.path.read_bytes().decode(), code).make(self.begin)
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

    def open_streams(self) -> None:
        """Open the program's input at its beginning, and streams that nobody has closed."""
        fd = os.open(self.stdin, os.O_RDONLY)
        os.dup2(fd, 0)
        os.close(fd)
        streams: Any = sys  # `__stdin__` is a constant to a type checker
        streams.stdin = streams.__stdin__ = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
        streams.stdout = streams.__stdout__ = os.fdopen(
            1, "w", encoding="utf-8", errors="surrogateescape", closefd=False
        )


def claim_streams() -> int:
    """Put /dev/null in place of stdout and stderr; return a descriptor of the real stdout."""
    result = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os._exit = sys.exit  # type: ignore[assignment]  # some programs end so; the profile would be lost
    return result


def within(seconds: float, hook_codes: Collection[types.CodeType], run: Callable[[], str]) -> tuple[str, bool]:
    """Run for at most so long; return (what `run` returned, whether it was stopped)."""

    def alarm(_: int, frame: types.FrameType | None) -> None:
        if frame is not None and frame.f_code in hook_codes:
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.1)  # an exception in a hook would be lost
        else:
            raise TimeUp

    signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        try:
            return run(), False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeUp:
        return "", True


def forget_peak() -> float:
    """Reset the memory peak and return the present memory, MiB.

    If the kernel does not allow it, return the old peak, so that nothing exceeds it.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return memory_mib()[1]
    return memory_mib()[0]


def memory_mib() -> tuple[float, float]:
    """Memory of this process in MiB, (now, highest).

    Not from Scalene, which holds on to what it samples: a program that takes and drops two blocks of 57 MiB five
    times came out at 343 MiB there, by its own count and by the system's.
    """
    status = Path("/proc/self/status")
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines()) if status.exists() else {}
    now, highest = (int(fields.get(name, "0").split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return now, highest
