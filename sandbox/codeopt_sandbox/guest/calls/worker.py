"""Worker process that makes one pass of calls and ends with it."""

from __future__ import annotations

import marshal
import sys
import types
from io import StringIO

from ..request import USUAL
from .answering import Answering, ArgumentsBefore, CallAnswering, is_plain, packed_call
from .arguments import Arguments
from .channel import Said, os_exit, to_json
from .mutation import mutate_result
from .outcome import text_field
from .process_state import Leaving
from .repr.shown import LIMIT
from .repr.structure import MAX_ITEMS, is_iterator, is_librarys, is_simple, islice, mro_of, vars_of
from .repr.tree import Encoder
from .state import random_state, state_of, what_changed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping, Sequence
    from types import CodeType
    from typing import Any, NoReturn, TypeVar

    from ..answer import Answer
    from ..import_hooks import Before
    from ..request import CallBatch, Environment, FunctionRef, Thread
    from .arguments import Call
    from .channel import Channel
    from .outcome import State

    T = TypeVar("T")
    Results = list[Any]
    Act = tuple[Callable[[Callable[..., Any], Sequence[Call]], Results], Callable[..., Any], Sequence[Call]]
    """One step of a worker: how to call, the function, its arguments."""
    Acts = Generator[Act, Results | None, None]
    """Generator of a worker's steps, which is sent the results of each."""
    Asking = Generator[Act, Results | None, T]
    """Generator that asks for calls before it returns its value."""


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


# Timing of all calls of a pass between two readings of the clock, which another process takes.
#
# The worker knows neither how many passes there are nor which of them is looked at closely, and gets the timed calls
# after the warm-up: any work that it does beforehand, or puts off, shows on that process's clock.


dumps = marshal.dumps
loads = marshal.loads


class TimedPass:
    """One pass in its worker."""

    def __init__(self, worker: CallWorker, batch: CallBatch, channel: Channel) -> None:
        self.worker, self.batch, self.channel, self.target = worker, batch, channel, worker.ref.module
        nested = batch.iterators == "nested"
        self.perform = (lambda f, calls: read_all(f, calls, nested)) if batch.iterators else called
        self.function: Callable[..., Any] = worker.function
        if worker.ref.asynchronous:
            self.function = lambda *a, **k: worker.invoke(a, k)
        self.out, self.answering = StringIO(), Answering(worker.ref, batch)

    def acts(self, warm: Sequence[CodeType]) -> Acts:
        """Warm up; say "ready" when the arguments are made, call when told to, say "done", use the results, and
        only then show the outcomes."""
        sys.stdout = self.out
        if self.worker.ref.asynchronous:
            self.worker.loop()
        yield self.act([*self.usable(warm)])
        self.channel.send(Said.WARM)
        codes = loads(self.channel.receive_bytes()[1])
        if self.batch.shared:
            self.worker.arguments.share()
        calls = [self.fresh(code) for code in codes]
        self.channel.send(Said.GIVEN)
        self.channel.receive()
        looked_at = each_once(calls) if self.batch.shared else calls
        # plain arguments can be made again afterwards; most passes need no look at them at all
        plain = [not self.batch.shared and is_plain(code) for code in codes]
        before = [None if again else self.seen(code, call) for code, call, again in zip(codes, looked_at, plain)]
        random = random_state()
        self.channel.send(Said.READY)
        self.channel.receive()
        results = yield self.act(calls)
        self.channel.send(Said.DONE)
        assert results is not None
        self.channel.receive()
        use(results, self.target)
        self.channel.send(Said.USED)
        self.channel.receive()
        self.channel.send(Said.DIGEST, digest_of(results, calls))
        was = self.channel.receive()[1]
        made = zip(codes, calls, looked_at, results, before)
        found = [
            self.answer(call, looked, result, seen or self.seen(code, None))
            for code, call, looked, result, seen in made
        ]
        if was:
            self.channel.send(Said.STATE, to_json(self.left(was, random).told()))
            found = yield from self.again(codes, results, found)
        for each in found:
            self.channel.send(Said.OUTCOME, to_json(each.told()))

    def fresh(self, code: CodeType) -> Call:
        return self.worker.arguments.fresh(code)

    def usable(self, codes: Sequence[CodeType]) -> Iterator[Call]:
        for code in codes:
            try:
                yield self.fresh(code)
            except Exception:  # a constructor that refuses a warm-up call says nothing of the timed ones
                continue

    def seen(self, code: CodeType, call: Call | None) -> ArgumentsBefore:
        plain = code if not self.batch.shared and is_plain(code) else None
        return ArgumentsBefore(self.target, call, plain, lambda: self.fresh(code), self.batch.ordered)

    def act(self, calls: Sequence[Call]) -> Act:
        return self.perform, self.function, calls

    def left(self, was: str, random: Any) -> State:
        """State and output that the calls of the pass leave. was: the state before any call; random: the state of the
        random numbers before the timed calls."""
        after = state_of(self.worker.ref, self.worker.module)
        before = loads(bytes.fromhex(was))
        printed = self.out.getvalue()
        found = what_changed(before, after, random_changed=random_state() != random)
        return found.replace(printed=text_field(printed, shown=repr(printed[:LIMIT])))

    def again(self, codes: Sequence[CodeType], results: Results, found: list[Answer]) -> Asking[list[Answer]]:
        """The answers, with what is different of a call that is made again after its result was changed by its owner:
        this detects a function that kept it. Objects that calls share are asked no second time."""
        # most calls of a closely watched pass that are made again after their first results were changed
        for at, code in enumerate(codes[:50] if not self.batch.shared else ()):
            if type(results[at]) is Raised:
                continue
            mutate_result(results[at], 3)
            call = self.fresh(code)
            seen = self.seen(code, call)
            other = yield self.act([call])
            assert other is not None
            use(other, self.target)
            again = self.answer(call, call, other[0], seen)
            if again.seen() != found[at].seen():
                found[at] = found[at].replace(again=text_field(repr(again.seen()), shown=again.text))
        return found

    def answer(self, call: Call, looked_at: Call, result: Any, was: ArgumentsBefore) -> Answer:
        """Answer of a call; `was`: the arguments before it, those of `looked_at`."""
        args, kwargs = call
        known = [("args", args), ("kwargs", kwargs)] if not is_simple(type(result)) else []
        encoder = Encoder(self.target, known, ordered=self.batch.ordered)
        raised = type(result) is Raised
        trees: tuple[Any, Any] = ((), ()) if raised else self.answering.encoded(encoder, result)
        found = CallAnswering(self.answering, encoder, call, was, looked_at)
        if raised:
            found.raised(result.error)
        else:
            found.returned(*trees, result)
        return found.end()


def digest_of(results: Results, calls: Sequence[Call]) -> str:
    """Hash of plain results and of what calls left of their arguments; empty where any of them is not plain. It spares
    most passes the encoding of equal answers. It need not be cryptographic: the process under test makes it itself."""
    packed = packed_call(((results, calls), {}))
    return f"{hash(packed)}" if packed else ""


def show_state(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Send the state before any call."""
    channel.send(Said.STATE, dumps(state_of(worker.ref, worker.module)).hex())


def each_once(calls: Sequence[Call]) -> list[Call]:
    """Calls without objects that an earlier call has also: looking at them for each call is more work than the
    calls."""
    seen: set[int] = set()
    found = []
    for args, kwargs in calls:
        found.append((tuple(value for value in args if id(value) not in seen), kwargs))
        seen.update(id(value) for value in args if not is_simple(type(value)))
    return found


# Use of results as their caller may make it: what a call puts off until its result is looked at is a cost of the call.
#
# Only objects of the project's own classes are used: their properties, length and items.


def use(results: Sequence[Any], target: str) -> None:
    """Use the objects among some results, once each. target: the module under test."""
    own: dict[int, bool] = {}
    # most objects that are used
    for value in islice(objects(results, target, own), 20):
        for read in (read_properties, len, read_items):
            try:
                read(value)
            except BaseException:  # its users may expect that
                continue


def objects(results: Sequence[Any], target: str, own: dict[int, bool]) -> Iterator[Any]:
    """Objects of the project's own classes: results, and items of those that are lists, tuples or dictionaries."""
    # most results among which they are sought
    for result in islice(results, 100):
        kind = type(result)
        items = result.values() if kind is dict else result if kind is list or kind is tuple else (result,)
        # most items of a result among which they are sought
        for item in islice(items, 20):
            of = type(item)
            if is_simple(of):
                continue
            if id(of) not in own:
                own[id(of)] = not is_librarys(of, target)
            if own[id(of)]:
                yield item


def read_properties(value: Any) -> None:
    """Read each public property, cached ones too."""
    for base in mro_of(type(value)):
        for name, member in list(vars_of(base).items()):
            if not name.startswith("_") and type(member).__name__ in ("property", "cached_property"):
                getattr(value, name)


def read_items(value: Any) -> None:
    for _ in islice(iter(value), MAX_ITEMS):
        pass
