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
from .scenarios.play import play_all
from .scene import import_library, scene
from .timing import TimedPass, show_state

TYPE_CHECKING = False
loads = marshal.loads
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
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
        if self.ref.calls_file is not None and batch.mode == "list":
            list_calls(self.arguments.names, channel)
            return
        if batch.mode == "scene":
            channel.send(TEXT, to_json(scene(self.ref, self.before)))
            channel.send(FINISHED)
            return
        if batch.mode == "libraries":
            self.import_libraries(batch.calls, channel)
            return
        if batch.mode == "time":
            yield from TimedPass(self, batch, channel).acts(codes)
            channel.send(FINISHED)
            channel.receive()  # until its clock is read it must be there
            return
        if batch.mode == "state":
            show_state(self, channel)
        elif batch.mode in ("traced", "resident"):
            take_peaks(self, batch, codes, channel)
        elif batch.mode == "show":
            show_calls(self.arguments, codes, channel)
        elif batch.mode == "replay":
            replay_calls(self, codes, channel)
        elif batch.mode == "shape":
            describe_calls(self, codes, channel)
        elif batch.mode == "scenario":
            limit_memory(self.ref.memory_bytes)
            play_all(self, batch, codes, channel)
        else:
            yield from Checking(self, batch, channel).make_all(codes)
        channel.send(FINISHED)

    def import_libraries(self, names: Sequence[str], channel: Channel) -> None:
        """Import what a draft newly loads, and say what that leaves of the process, beside what this module does."""
        leaving = self.leaving
        leaving.find_patched()
        leaving.look()
        for name in names:
            import_library(name, self.ref)
        channel.send(LEFT, to_json(leaving.left(self.ref, leaving.end_calls()).told()))
        channel.send(FINISHED)

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
