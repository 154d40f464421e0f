"""Timing of all calls of a pass between two readings of the clock, which another process takes.

The worker knows neither how many passes there are nor which of them is looked at closely, and gets the timed calls
after the warm-up: any work that it does beforehand, or puts off, shows on that process's clock.
"""

from __future__ import annotations

import marshal
import sys
from io import StringIO

from .answering import Answering, ArgumentsBefore, CallAnswering, is_plain, packed_call
from .channel import Said, to_json
from .mutation import mutate_result
from .outcome import text_field
from .repr.shown import LIMIT
from .repr.structure import is_librarys, is_simple, islice, mro_of, vars_of
from .repr.tree import Encoder
from .state import random_state, state_of, what_changed
from .worker import Raised, called, read_flat, read_nested

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType
    from typing import Any

    from ..answer import Answer
    from ..request import CallBatch
    from .arguments import Call
    from .channel import Channel
    from .checking import Asking
    from .outcome import State
    from .worker import Act, Acts, CallWorker, Results


dumps = marshal.dumps
loads = marshal.loads

MAX_REPEATED_CALLS = 50
"""Most calls of a closely watched pass that are made again after their first results were changed."""


class TimedPass:
    """One pass in its worker."""

    def __init__(self, worker: CallWorker, batch: CallBatch, channel: Channel) -> None:
        self.worker, self.batch, self.channel, self.target = worker, batch, channel, worker.ref.module
        self.perform = {"flat": read_flat, "nested": read_nested}.get(batch.iterators, called)
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
        yield self.act([self.fresh(code) for code in warm])
        self.channel.send(Said.WARM)
        codes = loads(self.channel.receive_bytes()[1])
        if self.batch.shared:
            self.worker.arguments.share()
        calls = [self.fresh(code) for code in codes]
        self.channel.send(Said.GIVEN)
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
            self.answer(call, looked, result, seen or self.seen(code, self.fresh(code)))
            for code, call, looked, result, seen in made
        ]
        if was:
            self.channel.send(Said.STATE, to_json(self.left(was, random).told()))
            found = yield from self.again(codes, results, found)
        for each in found:
            self.channel.send(Said.OUTCOME, to_json(each.told()))

    def fresh(self, code: CodeType) -> Call:
        return self.worker.arguments.fresh(code)

    def seen(self, code: CodeType, call: Call) -> ArgumentsBefore:
        plain = not self.batch.shared and is_plain(code)
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
        for at, code in enumerate(codes[:MAX_REPEATED_CALLS] if not self.batch.shared else ()):
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


def show_state(worker: CallWorker, channel: Channel) -> None:
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

MAX_OBJECTS = 20
"""Most objects that are used."""
MAX_RESULTS = 100
"""Most results among which they are sought."""
MAX_PARTS = 20
"""Most items of a result among which they are sought."""
MAX_ITEMS = 10_000
"""Most items that are read of one."""


def use(results: Sequence[Any], target: str) -> None:
    """Use the objects among some results, once each. target: the module under test."""
    own: dict[int, bool] = {}
    for value in islice(objects(results, target, own), MAX_OBJECTS):
        for read in (read_properties, len, read_items):
            try:
                read(value)
            except BaseException:  # its users may expect that
                continue


def objects(results: Sequence[Any], target: str, own: dict[int, bool]) -> Iterator[Any]:
    """Objects of the project's own classes: results, and items of those that are lists, tuples or dictionaries."""
    for result in islice(results, MAX_RESULTS):
        kind = type(result)
        items = result.values() if kind is dict else result if kind is list or kind is tuple else (result,)
        for item in islice(items, MAX_PARTS):
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
