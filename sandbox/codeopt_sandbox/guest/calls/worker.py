"""Worker process that makes one pass of calls and ends with it."""

from __future__ import annotations

import sys
import types

from ..request import USUAL
from .arguments import Arguments
from .channel import os_exit
from .process_state import Leaving
from .repr.structure import MAX_ITEMS, is_iterator, islice

TYPE_CHECKING = False

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
    from typing import Any, NoReturn

    from ..request import Environment, FunctionRef, Thread
    from .arguments import Call
    from .import_context import Before

    Results = list[Any]
    Act = tuple[Callable[[Callable[..., Any], Sequence[Call]], Results], Callable[..., Any], Sequence[Call]]
    """One step of a worker: how to call, the function, its arguments."""
    Acts = Generator[Act, Results | None, None]
    """Generator of a worker's steps, which is sent the results of each."""


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


# Frames from which the function under test is called, checked or timed. They are the same for both, and hide the
# purpose of a call.

modules = sys.modules


MAX_READ = 300_000
"""Most items that are read of an iterator where calls are timed: a longer one is compared, and timed, up to there."""


class Raised:
    """A call that ended in an exception."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def play_in(thread: Thread, acts: Acts) -> None:
    """Make the calls in the main thread, or in another one."""
    if thread == "main":
        play(acts)
    other = modules["threading"].Thread(target=play, args=(acts,))
    other.start()
    other.join()


def play(acts: Acts) -> NoReturn:
    """Make the calls that a worker asks for, and end the process."""
    status = 1
    results: Results | None = None
    try:
        while True:
            try:
                perform, function, calls = acts.send(results)
            except StopIteration:
                status = 0
                break
            results = None  # what the next calls make may take the place of what the last ones made
            results = perform(function, calls)
            del calls
    finally:
        os_exit(status)


def called(function: Callable[..., Any], calls: Sequence[Call]) -> Results:
    results: list[Any] = []
    for args, kwargs in calls:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:
            results.append(Raised(error))
    return results


def read_flat(function: Callable[..., Any], calls: Sequence[Call]) -> Results:
    """Results of calls that return iterators, read to their ends."""
    return read_all(function, calls, False)


def read_nested(function: Callable[..., Any], calls: Sequence[Call]) -> Results:
    """Results of calls that return iterators of iterators, read to their ends."""
    return read_all(function, calls, True)


def read_all(function: Callable[..., Any], calls: Sequence[Call], nested: bool) -> Results:
    """Results of calls, with items in place of iterators."""
    results: list[Any] = []
    for args, kwargs in calls:
        try:
            results.append(read(function(*args, **kwargs), nested))
        except BaseException as error:
            results.append(Raised(error))
    return results


def read(value: Any, nested: bool) -> Any:
    """Items of an iterator, or the value itself; inner iterators are read before the next item is asked for."""
    if not is_iterator(value):
        return value
    if not nested:
        return list(islice(value, MAX_READ + 1))
    return [read(item, True) for item in islice(value, MAX_READ + 1)]
