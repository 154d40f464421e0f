"""The program that makes calls: forks the importer, hides itself from it, directs it and answers.

stdin:   an encoded CallBatch.
stdout:  frames of channel.py: what was measured; then one for each call, and for what all of them leave, with JSON or
         text. If there is no answer: {"failure": why}, with words on stderr.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
import types
from os import CLD_EXITED, P_PID, WEXITED, WNOWAIT

from ..boot import read_exactly, write_all
from ..import_hooks import Before, import_context, import_library
from ..request import Environment, FunctionRef, batch_of
from ..syscalls import hide
from .channel import Channel, Said, Tell, os_exit, os_fork, to_json, waitid, waitpid
from .checking import Checking, limit_memory
from .controller import Controller
from .listing import describe_calls, list_calls, show_calls, write_objects
from .module_loader import import_target
from .outcome import RunFailed
from .process_state import Leaving
from .scenarios.play import play_all
from .watched import take_peaks, watch_calls
from .worker import CallWorker, TimedPass, play_in, show_state

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType
    from typing import Any

    from ..boot import Bundle
    from ..libraries import LibraryCode
    from ..request import CallBatch, Environment, FunctionRef
    from .worker import Acts


def main(bundle: Bundle, ref: dict[str, Any], source: str, fields: dict[str, Any]) -> None:
    """Make the calls on standard input of a function of the module text `source`. fields: of the environment."""
    environment = Environment.read(fields)
    channel, pid, acts = start_importer(FunctionRef.read(ref), source, environment, bundle.library_code)
    if acts is not None:
        play_in(environment.thread, acts)
    hide(bundle.libc)
    controller = Controller(channel, pid, batch_of(read_exactly(0, sys.maxsize)))
    try:
        controller.run()
    except RunFailed as failure:
        os.write(2, f"{failure}\n".encode("utf-8", "backslashreplace"))
        os.write(1, to_json({"failure": failure.kind}).encode())
        controller.end()
        os._exit(1)
    controller.end()
    write_all(1, controller.answer())


def start_importer(
    ref: FunctionRef, source: str, environment: Environment, code: LibraryCode | None
) -> tuple[Channel, int, Acts | None]:
    """Fork the importer, which keeps only its end of the pipes; in a worker that it forks, what it does."""
    down_r, down_w = os.pipe()
    up_r, up_w = os.pipe()
    pid = os.fork()
    if pid:
        os.close(down_r)
        os.close(up_w)
        return Channel(up_r, down_w), pid, None
    os.close(down_w)
    os.close(up_r)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    sys.modules["__main__"] = types.ModuleType("__main__")
    channel = Channel(down_r, up_w)
    return channel, 0, serve_passes(channel, ref, source, environment, code)


# The importer: it imports the module under test once and forks a worker for each pass.


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


def import_libraries(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Import the libraries that only a draft loads, and report the settings that this leaves changed."""
    leaving = worker.leaving
    leaving.find_patched()
    leaving.look()
    for name in batch.calls:
        import_library(name, worker.ref)
    channel.send(Said.LEFT, to_json(leaving.left(worker.ref, leaving.end_calls(), named=True).told()))


def show_scene(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    channel.send(Said.TEXT, to_json(import_context(worker.ref, worker.before)))


QUESTIONS: Mapping[str, Callable[[CallWorker, CallBatch, Sequence[CodeType], Channel], None]] = {
    "show": show_calls, "objects": write_objects, "list": list_calls, "shape": describe_calls, "scene": show_scene,
    "libraries": import_libraries, "watch": watch_calls, "state": show_state, "traced": take_peaks,
    "resident": take_peaks,
}  # fmt: skip
"""Questions about calls or their module, each with the function that answers it."""
