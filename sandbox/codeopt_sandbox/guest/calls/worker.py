"""Worker process that makes one pass of calls and ends with it."""

from __future__ import annotations

import types

from ..environment import USUAL
from .arguments import Arguments
from .process_state import Leaving
from .repr.plain import MAX_ITEMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
    from typing import Any

    from ..environment import Environment
    from .function_ref import FunctionRef
    from .import_context import Before


class CallWorker:
    def __init__(
        self,
        ref: FunctionRef,
        module: types.ModuleType,
        function: Callable[..., Any],
        before: Before,
        leaving: Leaving | None = None,
        environment: Environment = USUAL,
    ) -> None:
        self.ref, self.module, self.function, self.before = ref, module, function, before
        self.leaving, self.environment = leaving or Leaving(None), environment
        self.arguments = Arguments(ref)
        self.events: AbstractEventLoop | None = None

    def invoke(self, args: Sequence[Any], kwargs: Mapping[str, Any], items: int = MAX_ITEMS) -> Any:
        """Call; an asynchronous function is run to its end. items: so many of an asynchronous generator are read."""
        return self.settled(self.function(*args, **kwargs), items)

    def settled(self, found: Any, items: int = MAX_ITEMS) -> Any:
        """Result of a call; for an asynchronous function its final value."""
        kind = type(found)
        if kind is types.CoroutineType:
            return self.loop().run_until_complete(found)
        if kind is types.AsyncGeneratorType:
            return iter(self.loop().run_until_complete(gather(found, items)))
        return found

    def loop(self) -> AbstractEventLoop:
        if self.events is None:
            import asyncio

            self.events = asyncio.new_event_loop()
        return self.events


async def gather(generator: AsyncGenerator[Any, Any], items: int) -> list[Any]:
    found = []
    async for item in generator:
        found.append(item)
        if len(found) > items:
            break
    return found
