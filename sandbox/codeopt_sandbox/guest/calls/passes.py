"""Dispatch of a pass: each program of a batch is served by its own module."""

from __future__ import annotations

import marshal

from .batch import batch_of
from .channel import FINISHED, LEFT, TEXT
from .checking import Checking, limit_memory
from .constructed import write_objects
from .import_context import import_context, import_library
from .json_text import to_json
from .listing import describe_calls, list_calls, show_calls
from .peaks import take_peaks
from .scenarios.played import play_all
from .timing import TimedPass, show_state
from .watched import watch_calls

TYPE_CHECKING = False
loads = marshal.loads
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType

    from .batch import CallBatch
    from .channel import Channel
    from .stage import Acts
    from .worker import CallWorker


def acts(worker: CallWorker, channel: Channel) -> Acts:
    """Take a batch and run its program; calls that are checked or timed are made where no frame of ours is."""
    batch = batch_of(channel.receive_bytes()[1])
    codes = loads(channel.receive_bytes()[1])
    if batch.program == "time":
        yield from TimedPass(worker, batch, channel).acts(codes)
    elif batch.program == "check":
        yield from Checking(worker, batch, channel).make_all(codes)
    elif batch.program == "combine":
        _combine(worker, batch, codes, channel)
    else:
        QUESTIONS[batch.question](worker, batch, codes, channel)
    channel.send(FINISHED)
    if batch.program == "time":
        channel.receive()  # until its clock is read it must be there


def _libraries(worker: CallWorker, names: Sequence[str], channel: Channel) -> None:
    """Import the libraries that only a draft loads, and report the settings that this leaves changed."""
    leaving = worker.leaving
    leaving.find_patched()
    leaving.look()
    for name in names:
        import_library(name, worker.ref)
    channel.send(LEFT, to_json(leaving.left(worker.ref, leaving.end_calls(), named=True).told()))


def _combine(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    limit_memory(worker.ref.memory_bytes)
    play_all(worker, batch, codes, channel)


QUESTIONS: Mapping[str, Callable[[CallWorker, CallBatch, Sequence[CodeType], Channel], None]] = {
    "list": lambda worker, batch, codes, channel: list_calls(worker.arguments.names, channel),
    "scene": lambda worker, batch, codes, channel: channel.send(
        TEXT, to_json(import_context(worker.ref, worker.before))
    ),
    "libraries": lambda worker, batch, codes, channel: _libraries(worker, batch.calls, channel),
    "state": lambda worker, batch, codes, channel: show_state(worker, channel),
    "watch": watch_calls,
    "traced": take_peaks,
    "resident": take_peaks,
    "show": lambda worker, batch, codes, channel: show_calls(worker.arguments, codes, channel),
    "objects": lambda worker, batch, codes, channel: write_objects(worker, codes, channel),
    "shape": lambda worker, batch, codes, channel: describe_calls(worker, codes, channel),
}
"""Questions about calls or their module, each with the function that answers it."""
