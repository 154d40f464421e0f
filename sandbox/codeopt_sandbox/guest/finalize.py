"""Ends a program in a warm interpreter as an interpreter of its own would: what is reported, flushed and returned."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would load enum and what that needs
import gc
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_show = sys.excepthook  # a program can replace it, and sys.__excepthook__ too


def failed(error: BaseException) -> int:
    """The exit status of an exception that nobody caught, reported as the interpreter would (PyErr_Print)."""
    flush(quiet=True)
    if isinstance(error, SystemExit):
        return exit_status(error.code)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        say("sys.excepthook is missing\n")
        hook = _show
    try:
        hook(type(error), error, error.__traceback__)
    except SystemExit as exit:
        return exit_status(exit.code)
    except BaseException as second:
        worse = without_our_frame(second)
    else:
        return 1
    say("Error in sys.excepthook:\n")
    display(worse)
    say("\nOriginal exception was:\n")
    display(error)
    return 1


def without_our_frame(error: BaseException) -> BaseException:
    """The error with the traceback that the interpreter would have caught."""
    return error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)


def display(error: BaseException) -> None:
    """Print an uncaught exception on standard error as an interpreter does."""
    _show(type(error), error, error.__traceback__)


def exit_status(code: object) -> int:
    """Exit status of SystemExit(code); anything but a number is printed."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(1 << 63) <= code < 1 << 63 else 0xFF
    try:
        text = str(code)
    except BaseException:
        text = ""
    say(text + "\n")
    return 1


def say(text: str) -> None:
    """Write to standard error, if there is one."""
    try:
        sys.stderr.write(text)
    except BaseException:
        return


def closed(stream: Any) -> bool:
    """Return True if a stream is closed. Output objects of a program may lack the attribute."""
    try:
        return bool(stream.closed)
    except BaseException:
        return False


def flush(quiet: bool = False) -> bool:
    """Flush the program's stdout and stderr, which may be any objects. Return True without an error."""
    fine = True
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)
        if stream is None or closed(stream):
            continue
        try:
            stream.flush()
        except BaseException as error:
            fine = False
            if name == "stdout" and not quiet:
                say(f"Exception ignored in: {stream!r}\n")
                display(without_our_frame(error))
    return fine


def leave(status: int, interrupted: bool = False) -> NoReturn:
    """End as an interpreter does (Py_FinalizeEx), but without taking the warm one apart, which costs 3 ms.

    Threads are waited for, exit handlers run, the program's own objects are freed and its streams flushed.
    """
    for module, function in (("threading", "_shutdown"), ("atexit", "_run_exitfuncs")):
        if module in sys.modules:
            try:
                getattr(sys.modules[module], function)()
            except BaseException as error:
                say(f"Exception ignored in: {sys.modules[module]!r}\n")
                display(without_our_frame(error))
    fine = flush()
    sys.last_type = sys.last_value = sys.last_traceback = None
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    sys.modules.pop("__main__", None)
    gc.collect()  # of the program's objects: the interpreter's own are frozen
    fine = flush(quiet=not fine) and fine
    if interrupted:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        posix.kill(posix.getpid(), _signal.SIGINT)
    posix._exit(status if fine else 120)
