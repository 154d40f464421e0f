"""Peak memory of calls: by Python's own accounting for each call, and by the kernel's for all together."""

from __future__ import annotations

import gc
import posix
from _tracemalloc import clear_traces, get_traced_memory, start

from .channel import DONE, READY
from .repr.plain import MAX_ITEMS, is_iterator, islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Call
    from .batch import CallBatch
    from .channel import Channel
    from .worker import CallWorker

collect = gc.collect


def take_peaks(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Say "ready" when the arguments are made, call when told to, say "done" with the highest peak of a single call in
    bytes, and wait: the kernel's books are read as long as the process is there."""
    made = [worker.arguments.fresh(code) for code in codes]
    if worker.ref.asynchronous:
        worker.loop()
    for call in made[: batch.warm]:
        drop(worker, batch, call)
    collect()
    channel.send(READY)
    channel.receive()
    traced, highest = batch.question == "traced", 0
    if traced:
        start(1)
    for call in made[batch.warm :]:
        if traced:
            clear_traces()  # the peak of this call alone; tracemalloc.reset_peak is of Python 3.9
        drop(worker, batch, call)
        if traced:
            highest = max(highest, get_traced_memory()[1])
    channel.send(DONE, str(highest))
    channel.receive()


def drop(worker: CallWorker, batch: CallBatch, call: Call) -> None:
    """Call, and keep nothing: a result counts in addition to what it was made of, an iterator's items come and go."""
    try:
        result = worker.invoke(*call)
        if batch.iterators:
            run_through(result, batch.iterators == "nested")
    except BaseException:
        return


def run_through(value: Any, nested: bool) -> None:
    """Ask for each item of an iterator, and of those in it."""
    if is_iterator(value):
        for item in islice(value, MAX_ITEMS + 1):
            if nested:
                run_through(item, True)


def forget_peak(pid: int) -> None:
    """The kernel counts a process's highest memory from here on; where it does not let us it counts from the start."""
    try:
        fd = posix.open(f"/proc/{pid}/clear_refs", posix.O_WRONLY | posix.O_CLOEXEC)
    except OSError:
        return
    try:
        posix.write(fd, b"5")
    except OSError:
        pass
    finally:
        posix.close(fd)


def highest_bytes(pid: int) -> int:
    """The highest resident memory of a process since its start, or since that was forgotten; 0 where it is not
    known."""
    try:
        fd = posix.open(f"/proc/{pid}/status", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return 0
    try:
        text = posix.read(fd, 1 << 16)
    finally:
        posix.close(fd)
    _, found, rest = text.partition(b"VmHWM:")
    return int(rest.split()[0]) << 10 if found else 0
