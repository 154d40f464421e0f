"""Imports the module under test once and forks a worker for each pass."""

from __future__ import annotations

import gc
import marshal
from os import CLD_EXITED, P_PID, WEXITED, WNOWAIT

from ..request import batch_of
from .channel import Channel, Said, Tell, os_exit, os_fork, to_json, waitid, waitpid
from .checking import Checking, limit_memory
from .import_context import Before, import_context, import_library
from .listing import describe_calls, list_calls, show_calls, write_objects
from .module_loader import import_target
from .process_state import Leaving
from .scenarios.play import play_all
from .timing import TimedPass, show_state
from .watched import take_peaks, watch_calls
from .worker import CallWorker

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType

    from ..libraries import LibraryCode
    from ..request import CallBatch, Environment, FunctionRef
    from .worker import Acts

loads = marshal.loads


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
        channel.send(Said.MISSES if misses else Said.FAILED, f"{type(error).__name__}: {error}")
        os_exit(1)
    gc.collect()
    gc.freeze()  # the worker then shares these pages instead of copying them
    channel.send(Said.IMPORTED)
    gone = 0
    while channel.receive()[0] == Tell.PASS:
        if gone:
            waitpid(gone, 0)
        pid = os_fork()
        if not pid:
            return acts(CallWorker(ref, module, function, before, leaving, environment), channel)
        channel.send(Said.FORKED, str(pid))
        # its number and its clock stay until it is waited for; the status is coded as that of os.waitpid
        ended = waitid(P_PID, pid, WEXITED | WNOWAIT)
        status = ended.si_status if ended else 0
        channel.send(Said.ENDED, str(status << 8 if ended and ended.si_code == CLD_EXITED else status))
        gone = pid
    return os_exit(0)


def acts(worker: CallWorker, channel: Channel) -> Acts:
    """Take a batch and run its program; calls that are checked or timed are made where no frame of ours is."""
    batch = batch_of(channel.receive_bytes()[1])
    codes = loads(channel.receive_bytes()[1])
    if batch.program == "time":
        yield from TimedPass(worker, batch, channel).acts(codes)
    elif batch.program == "check":
        yield from Checking(worker, batch, channel).make_all(codes)
    elif batch.program == "combine":
        limit_memory(worker.ref.memory_bytes)
        play_all(worker, batch, codes, channel)
    else:
        QUESTIONS[batch.question](worker, batch, codes, channel)
    channel.send(Said.FINISHED)
    if batch.program == "time":
        channel.receive()  # until its clock is read it must be there


def import_libraries(worker: CallWorker, names: Sequence[str], channel: Channel) -> None:
    """Import the libraries that only a draft loads, and report the settings that this leaves changed."""
    leaving = worker.leaving
    leaving.find_patched()
    leaving.look()
    for name in names:
        import_library(name, worker.ref)
    channel.send(Said.LEFT, to_json(leaving.left(worker.ref, leaving.end_calls(), named=True).told()))


QUESTIONS: Mapping[str, Callable[[CallWorker, CallBatch, Sequence[CodeType], Channel], None]] = {
    "list": lambda worker, batch, codes, channel: list_calls(worker.arguments.names, channel),
    "scene": lambda worker, batch, codes, channel: channel.send(
        Said.TEXT, to_json(import_context(worker.ref, worker.before))
    ),
    "libraries": lambda worker, batch, codes, channel: import_libraries(worker, batch.calls, channel),
    "state": lambda worker, batch, codes, channel: show_state(worker, channel),
    "watch": watch_calls,
    "traced": take_peaks,
    "resident": take_peaks,
    "show": lambda worker, batch, codes, channel: show_calls(worker.arguments, codes, channel),
    "objects": lambda worker, batch, codes, channel: write_objects(worker, codes, channel),
    "shape": lambda worker, batch, codes, channel: describe_calls(worker, codes, channel),
}
"""Questions about calls or their module, each with the function that answers it."""
