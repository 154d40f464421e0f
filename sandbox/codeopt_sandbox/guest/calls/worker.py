"""One pass of calls, in a process that ends with it."""

from __future__ import annotations

import marshal
import types

from .arguments import Arguments
from .batch import CallBatch
from .channel import FINISHED, LEFT, TEXT
from .checking import Checking, limit_memory
from .json_text import to_json
from .leaving import Leaving
from .listing import describe_calls, list_calls, replay_calls, show_calls
from .peaks import take_peaks
from .repr.plain import ITEMS
from .scenarios.played import play_all
from .scene import import_library, scene
from .timing import TimedPass, show_state
from .watched import watch_calls

TYPE_CHECKING = False
loads = marshal.loads
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
    from types import CodeType
    from typing import Any

    from .channel import Channel
    from .function_ref import FunctionRef
    from .scene import Before
    from .stage import Acts


class CallWorker:
    """Calls the function."""

    def __init__(
        self,
        ref: FunctionRef,
        module: types.ModuleType,
        function: Callable[..., Any],
        before: Before,
        leaving: Leaving | None = None,
    ) -> None:
        self.ref, self.module, self.function, self.before = ref, module, function, before
        self.leaving = leaving or Leaving(None)
        self.arguments = Arguments(ref)
        self.events: AbstractEventLoop | None = None

    def acts(self, channel: Channel) -> Acts:
        """Take the calls and do with them what the batch says; those that count are made where no frame of ours is."""
        batch = CallBatch.parse(channel.receive()[1])
        codes = loads(channel.receive_bytes()[1])
        asked = ASKED.get(batch.mode)
        if batch.mode == "time":
            yield from TimedPass(self, batch, channel).acts(codes)
        elif asked is None:
            yield from Checking(self, batch, channel).make_all(codes)
        else:
            asked(self, batch, codes, channel)
        channel.send(FINISHED)
        if batch.mode == "time":
            channel.receive()  # until its clock is read it must be there

    def import_libraries(self, names: Sequence[str], channel: Channel) -> None:
        """Import what a draft newly loads, and say what that leaves of the process, beside what this module does."""
        leaving = self.leaving
        leaving.find_patched()
        leaving.look()
        for name in names:
            import_library(name, self.ref)
        channel.send(LEFT, to_json(leaving.left(self.ref, leaving.end_calls()).told()))

    def invoke(self, args: Sequence[Any], kwargs: Mapping[str, Any], items: int = ITEMS) -> Any:
        """Call; an asynchronous function is run to its end. items: so many of an asynchronous generator are read."""
        return self.settled(self.function(*args, **kwargs), items)

    def settled(self, found: Any, items: int = ITEMS) -> Any:
        """What a call returned; of an asynchronous function what comes of it in the end."""
        kind = type(found)
        if kind is types.CoroutineType:
            return self.loop().run_until_complete(found)
        if kind is types.AsyncGeneratorType:
            return iter(self.loop().run_until_complete(gather(found, items)))
        return found

    def loop(self) -> AbstractEventLoop:
        """An event loop of this process."""
        if self.events is None:
            import asyncio

            self.events = asyncio.new_event_loop()
        return self.events


async def gather(generator: AsyncGenerator[Any, Any], items: int) -> list[Any]:
    """What an asynchronous generator yields."""
    found = []
    async for item in generator:
        found.append(item)
        if len(found) > items:
            break
    return found


def _scenarios(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    limit_memory(worker.ref.memory_bytes)
    play_all(worker, batch, codes, channel)


ASKED: Mapping[str, Callable[[CallWorker, CallBatch, Sequence[CodeType], Channel], None]] = {
    "list": lambda worker, batch, codes, channel: list_calls(worker.arguments.names, channel),
    "scene": lambda worker, batch, codes, channel: channel.send(TEXT, to_json(scene(worker.ref, worker.before))),
    "libraries": lambda worker, batch, codes, channel: worker.import_libraries(batch.calls, channel),
    "state": lambda worker, batch, codes, channel: show_state(worker, channel),
    "watch": watch_calls,
    "traced": take_peaks,
    "resident": take_peaks,
    "show": lambda worker, batch, codes, channel: show_calls(worker.arguments, codes, channel),
    "replay": lambda worker, batch, codes, channel: replay_calls(worker, codes, channel),
    "shape": lambda worker, batch, codes, channel: describe_calls(worker, codes, channel),
    "scenario": _scenarios,
}
"""Mode -> what answers it with no call that counts as checked or timed."""
