"""Timing of all calls of a pass between two readings of the clock, which another process takes.

The worker is told neither how many passes there are nor which of them is looked at closely, and gets the timed calls
after the warm-up: any work that it does beforehand, or puts off, shows on that process's clock.
"""

from __future__ import annotations

import marshal
import sys
from io import StringIO

from .channel import DONE, GIVEN, OUTCOME, READY, STATE, WARM
from .json_text import to_json
from .mutation import mutate_result
from .outcome import NOT_COMPARABLE, RAISES, RETURNS, YIELDS, CallOutcome
from .plain_arguments import ArgumentsBefore, is_plain
from .public_view import PublicViews
from .repr.canonical import CanonicalRepr
from .repr.plain import cut, is_simple
from .repr.private import has_private
from .stage import Raised, called, read_flat, read_nested
from .state import random_state, state_of, what_changed

TYPE_CHECKING = False
loads = marshal.loads
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Call
    from .batch import CallBatch
    from .channel import Channel
    from .function_ref import FunctionRef
    from .stage import Act, Acts, Results
    from .worker import CallWorker

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
        self.out = StringIO()

    def acts(self, warm: Sequence[CodeType]) -> Acts:
        """Warm up; say "ready" when the arguments are made, call when told to, say "done", and only then show the
        outcomes."""
        sys.stdout = self.out
        if self.worker.ref.asynchronous:
            self.worker.loop()
        prepare_for_objects(warm)
        yield self.act([self.fresh(code) for code in warm])
        self.channel.send(WARM)
        codes = loads(self.channel.receive_bytes()[1])
        prepare_for_objects(codes)
        if self.batch.shared:
            self.worker.arguments.share()
        calls = [self.fresh(code) for code in codes]
        self.channel.send(GIVEN)
        looked_at = each_once(calls) if self.batch.shared else calls
        before = [self.seen(code, call) for code, call in zip(codes, looked_at)]
        random = random_state()
        self.channel.send(READY)
        self.channel.receive()
        results = yield self.act(calls)
        self.channel.send(DONE)
        was = self.channel.receive()[1]
        assert results is not None
        made = zip(calls, looked_at, results, before)
        found = [outcome(self.worker.ref, call, looked, result, seen) for call, looked, result, seen in made]
        if was:
            self.channel.send(STATE, to_json(self.left(was, random).fields()))
            found = yield from self.again(codes, results, found)
        for each in found:
            self.channel.send(OUTCOME, to_json(each.fields()))

    def fresh(self, code: CodeType) -> Call:
        """New arguments for a call."""
        return self.worker.arguments.fresh(code)

    def seen(self, code: CodeType, call: Call) -> ArgumentsBefore:
        """The arguments of a call before it is made."""
        plain = not self.batch.shared and is_plain(code)
        return ArgumentsBefore(self.target, call, plain, lambda: self.fresh(code))

    def act(self, calls: Sequence[Call]) -> Act:
        """Calls as they are to be made."""
        return self.perform, self.function, calls

    def left(self, was: str, random: Any) -> Any:
        """State and output that the calls of the pass leave. was: the state before any call; random: the state of the
        random numbers before the timed calls."""
        after = state_of(self.worker.ref, self.worker.module)
        found = what_changed(eval(was, {"__builtins__": {}}), after, random_changed=random_state() != random)
        printed = self.out.getvalue()
        return found.replace(text=f"{found.text}; prints {cut(repr(printed))}", changed=True) if printed else found

    def again(
        self, codes: Sequence[CodeType], results: Results, found: list[CallOutcome]
    ) -> Generator[Act, Results | None, list[CallOutcome]]:
        """The outcomes, with what is different of a call that is made again after its result was changed by its owner:
        whoever kept it is found out. Objects that calls share are asked no second time."""
        for at, code in enumerate(codes[:MAX_REPEATED_CALLS] if not self.batch.shared else ()):
            if type(results[at]) is Raised:
                continue
            mutate_result(results[at], 3)
            call = self.fresh(code)
            seen = self.seen(code, call)
            other = yield self.act([call])
            assert other is not None
            text = outcome(self.worker.ref, call, call, other[0], seen).text
            if text != found[at].text:
                words = f"{found[at].text} | called again, after its result was changed: {cut(text)}"
                found[at] = found[at].replace(text=words)
        return found


def prepare_for_objects(codes: Sequence[CodeType]) -> None:
    """Load what tells private attributes apart, where a call makes an object: it takes longer than most passes, and a
    version that keeps nothing would not pay for it."""
    if any({"load", "same"} & {*getattr(code, "co_names", ())} for code in codes):
        import re  # noqa: F401


def show_state(worker: CallWorker, channel: Channel) -> None:
    """Send the state before any call."""
    channel.send(STATE, repr(state_of(worker.ref, worker.module)))


def each_once(calls: Sequence[Call]) -> list[Call]:
    """Calls without objects that an earlier call has, too: looking at them for each call is more work than the
    calls."""
    seen: set[int] = set()
    found = []
    for args, kwargs in calls:
        found.append((tuple(value for value in args if id(value) not in seen), kwargs))
        seen.update(id(value) for value in args if not is_simple(type(value)))
    return found


def outcome(ref: FunctionRef, call: Call, looked_at: Call, result: Any, was: ArgumentsBefore) -> CallOutcome:
    """Outcome of a call; `was`: the arguments before it, those of `looked_at`."""
    args, kwargs = call
    known = [("args", args), ("kwargs", kwargs)] if not is_simple(type(result)) else []
    shown = CanonicalRepr(ref.module, known)
    shown.whole = ref.whole_answers
    exception = ""
    if type(result) is Raised:
        exception = shown.name_of(type(result.error))[1:-1]
        text = "raises " + exception
    else:
        text = "returns " + shown.show(result)
    changed, opaque = was.became(looked_at)
    text = cut(text, ref.whole_answers)
    text += changed + (PublicViews(ref.module).shown([result], call) if has_private(text) else "")
    opaque = shown.opaque or opaque
    kind = NOT_COMPARABLE if opaque else RAISES if exception else YIELDS if shown.iterators else RETURNS
    return CallOutcome(text, kind, exception or shown.broken_by, (), shown.iterators, opaque)
