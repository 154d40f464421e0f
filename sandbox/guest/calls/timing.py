"""All calls of a pass between two readings of the clock, which another process takes."""

from __future__ import annotations

import sys
from io import StringIO

from .channel import DONE, GIVEN, OUTCOME, READY
from .json_text import to_json
from .outcome import NOT_COMPARABLE, RAISES, RETURNS, YIELDS, CallOutcome
from .repr.canonical import CanonicalRepr
from .repr.plain import ITEMS, cut, is_iterator, is_simple, islice
from .repr.private import became

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Call
    from .batch import CallBatch
    from .channel import Channel
    from .worker import CallWorker


class Raised:
    """A call that ended in an exception."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def time_calls(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Say "ready" when the arguments are made, call when told to, say "done", and only then show the outcomes."""
    target = worker.ref.module
    warm = [worker.arguments.fresh(code) for code in codes[: batch.warm]]
    if batch.shared:
        worker.arguments.share()
    timed = [worker.arguments.fresh(code) for code in codes[batch.warm :]]
    channel.send(GIVEN)
    looked_at = each_once(timed) if batch.shared else timed
    before = [CanonicalRepr(target).show_arguments(*call) for call in looked_at]
    sys.stdout = StringIO()
    run = consume if batch.iterators else plain
    if worker.ref.asynchronous:
        worker.loop()
    run(worker, batch, warm)
    channel.send(READY)
    channel.receive()
    results = run(worker, batch, timed)
    channel.send(DONE)
    channel.receive()
    for call, looked, result, was in zip(timed, looked_at, results, before):
        channel.send(OUTCOME, to_json(outcome(target, call, looked, result, was).fields()))


def each_once(calls: Sequence[Call]) -> list[Call]:
    """Without the objects that an earlier call has, too: to look at them for each call is more work than the calls."""
    seen: set[int] = set()
    found = []
    for args, kwargs in calls:
        found.append((tuple(value for value in args if id(value) not in seen), kwargs))
        seen.update(id(value) for value in args if not is_simple(type(value)))
    return found


def outcome(target: str, call: Call, looked_at: Call, result: Any, was: str) -> CallOutcome:
    """What a call did; `was`: its arguments before it, those of `looked_at`."""
    args, kwargs = call
    known = [("args", args), ("kwargs", kwargs)] if not is_simple(type(result)) else []
    shown = CanonicalRepr(target, known)
    exception = ""
    if type(result) is Raised:
        exception = shown.name_of(type(result.error))[1:-1]
        text = "raises " + exception
    else:
        text = "returns " + shown.show(result)
    arguments = CanonicalRepr(target)
    after = arguments.show_arguments(*looked_at, rest=True)
    text = cut(text) + became(was, after)
    opaque = shown.opaque or (arguments.opaque if after != was else "")
    kind = NOT_COMPARABLE if opaque else RAISES if exception else YIELDS if shown.iterators else RETURNS
    return CallOutcome(text, kind, exception or shown.broken_by, (), shown.iterators, opaque)


def plain(worker: CallWorker, batch: CallBatch, calls: Sequence[Call]) -> list[Any]:
    """Results of calls that return no iterators."""
    function = worker.function if not worker.ref.asynchronous else lambda *a, **k: worker.invoke(a, k)
    results: list[Any] = []
    for args, kwargs in calls:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:
            results.append(Raised(error))
    return results


def consume(worker: CallWorker, batch: CallBatch, calls: Sequence[Call]) -> list[Any]:
    """Results of calls that return iterators, read to their ends."""
    nested = batch.iterators == "nested"
    results: list[Any] = []
    for args, kwargs in calls:
        try:
            results.append(read(worker.invoke(args, kwargs), nested))
        except BaseException as error:
            results.append(Raised(error))
    return results


def read(value: Any, nested: bool) -> Any:
    """An iterator's items; inner iterators are read before the next item is asked for."""
    if not is_iterator(value):
        return value
    if not nested:
        return list(islice(value, ITEMS + 1))
    return [read(item, True) for item in islice(value, ITEMS + 1)]
