"""Imports the module under test once and forks a worker for each pass."""

from __future__ import annotations

import gc
from os import CLD_EXITED, P_PID, WEXITED, WNOWAIT

from .channel import ENDED, FAILED, IMPORTED, MISSES, PASS, Channel, os_exit, os_fork, waitid, waitpid
from .import_context import Before
from .module_loader import import_target
from .passes import acts
from .process_state import Leaving
from .worker import CallWorker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment
    from ..library_code import LibraryCode
    from .function_ref import FunctionRef
    from .stage import Acts


def serve_passes(
    channel: Channel, ref: FunctionRef, source: str, environment: Environment, code: LibraryCode | None = None
) -> Acts:
    """Import, then fork a worker for each pass; returns only there, with what it does. code: of the libraries that are
    loaded, where it was looked at once for all runs."""
    before, leaving = Before(), Leaving(code)
    try:
        module, function = import_target(ref, source, leaving=leaving, environment=environment)
    except BaseException as error:
        misses = isinstance(error, (IndexError, EOFError, FileNotFoundError))
        channel.send(MISSES if misses else FAILED, f"{type(error).__name__}: {error}")
        os_exit(1)
    gc.collect()
    gc.freeze()  # the worker then shares these pages instead of copying them
    channel.send(IMPORTED)
    gone = 0
    while channel.receive()[0] == PASS:
        if gone:
            waitpid(gone, 0)
        pid = os_fork()
        if not pid:
            return acts(CallWorker(ref, module, function, before, leaving, environment), channel)
        channel.send(PASS, str(pid))
        channel.send(ENDED, str(wait_status(pid)))
        gone = pid
    return os_exit(0)


def wait_status(pid: int) -> int:
    """Status of a child, coded as that of `os.waitpid`, once it has ended; its number and its clock stay until it is
    waited for."""
    ended = waitid(P_PID, pid, WEXITED | WNOWAIT)
    if ended is None:
        return 0
    return ended.si_status << 8 if ended.si_code == CLD_EXITED else ended.si_status
