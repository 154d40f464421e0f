"""Player of scenarios, which gives the answers of their calls."""

from __future__ import annotations

import time

from ...answer import KEPT_UNCHANGED, NOTHING, Answer, Kind
from .. import scenarios
from ..answering import PublicViews
from ..channel import SIGALRM, Said, frame, in_child, to_json
from ..checking import CapturedOutput
from ..mutation import InPlace, Joined, corrupt_result, inner_parts, mutable_parts, mutate_result
from ..outcome import FieldMaker, died, no_arguments, not_made, text_field, timeout, without_answer
from ..repr.shown import shown_text
from ..repr.structure import is_container, modules
from ..repr.tree import Encoder, written
from ..state import state_of, what_changed
from . import SCENARIO
from .progress import Other, Stops, Stream, Wrapped

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from types import CodeType
    from typing import Any

    from ...request import CallBatch
    from ..arguments import Call
    from ..channel import Channel
    from ..worker import CallWorker
    from . import Steps


CLOSED_WORDS = "has no arguments: objects that keep something private, which a caller cannot change with the rest"
SHOWN = 400
"""Characters of what a callback is given that are shown."""
DEPTH = 3
"""Depth to which a result is changed, and shared parts are looked for."""


class Impossible(Exception):
    """The calls do not fit the scenario."""


class Closed(Exception):
    """The arguments are objects that a caller cannot change."""


class Ended(Exception):
    """A process that played a part of a scenario has ended early. `status`: its exit status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Performance:
    """One scenario, or one call by itself."""

    def __init__(self, worker: CallWorker, code: CodeType, batch: CallBatch) -> None:
        self.worker, self.ref, self.code, self.batch = worker, worker.ref, code, batch
        self.given: dict[int, Call] = {}
        self.streams: dict[int, Stream] = {}
        """Calls that were begun."""
        self.made: list[Stream] = []
        """All calls in their order."""
        self.answers: list[Answer] = []
        self.stopped: tuple[int, ...] = ()
        self.sharing = NOTHING
        self.fields = FieldMaker(self.arguments_now, batch.values)

    def arguments_now(self) -> Any:
        """A tree with the floats of all arguments."""
        return [self.encoder().arguments(*call) for call in self.given.values()]

    def encoder(self) -> Encoder:
        """Encoder of one answer. It ignores an order that the known calls leave open."""
        return Encoder(self.ref.module, ordered=self.batch.ordered)

    def play(self) -> Answer:
        """Answers of the calls, as steps; one that says why, where they do not fit the scenario."""
        try:
            steps = self.steps()
        except Exception as error:
            return no_arguments(error)
        try:
            if not steps:
                return self.viewed(self.alone(0))
            for name, *operands in steps:
                getattr(self, f"play_{name}")(*operands)
            answers = tuple(self.answers)
            whole = Kind.NOT_COMPARABLE if any(answer.opaque for answer in answers) else Kind.RETURNS
            return self.viewed(Answer(whole, steps=answers, stopped=self.stopped, sharing=self.sharing))
        except Impossible:
            return without_answer(Kind.UNFIT, "has no arguments: no such scenario")
        except Closed:
            return without_answer(Kind.CLOSED, CLOSED_WORDS)
        except Ended as ended:
            return Answer(Kind.RETURNS, steps=(died(ended.status, 0.0),))

    def viewed(self, answer: Answer) -> Answer:
        """The answer with public views of what the calls returned, if that is asked."""
        if not self.batch.views:
            return answer
        results = [stream.result for stream in self.made]
        return answer.replace(views=PublicViews(self.ref.module).of_results(results, self.fresh(0)))

    def steps(self) -> Steps:
        """Steps of the scenario; none for a call by itself."""
        found: Any = self.worker.arguments.fresh(self.code)
        return found[0] if is_scenario(found) else ()

    def fresh(self, at: int) -> Call:
        """New arguments of a call of the scenario."""
        found: Any = self.worker.arguments.fresh(self.code)
        return found[1][at] if is_scenario(found) else found  # type: ignore[no-any-return]

    def begin(self, call: Call) -> Stream:
        """Stream of a call that has begun."""
        self.made.append(Stream(self.encoder(), lambda: self.worker.invoke(*call), self.fields))
        return self.made[-1]

    def alone(self, at: int) -> Answer:
        """Answer of one call with new arguments."""
        return self.begin(self.fresh(at)).finish()

    def play_give(self, at: int) -> None:
        """Make new arguments of a call."""
        self.given[at] = self.fresh(at)

    def play_call(self, at: int) -> None:
        """Begin a call with its arguments."""
        self.streams[at] = self.begin(self.given[at])

    def play_read(self, at: int) -> None:
        """Read a result to its end."""
        self.answers.append(self.streams[at].finish())

    def open(self, at: int) -> Stream:
        """Stream of a call, if its result is an iterator. Raises Impossible."""
        if not self.streams[at].begun:
            raise Impossible
        return self.streams[at]

    def play_next(self, at: int) -> None:
        """Read one item of an iterator."""
        self.open(at).step()

    def play_half(self, at: int) -> None:
        """Read half of an iterator's items."""
        whole = self.begin(self.fresh(at))
        whole.finish()
        for _ in range(max(1, len(whole.items) // 2)):
            self.open(at).step()

    def play_turns(self, one: int, other: int) -> None:
        """Read an item of each iterator in turn."""
        both = self.open(one), self.open(other)
        while any([stream.step() for stream in both]):
            pass

    def play_throw(self, at: int) -> None:
        self.open(at).throw()

    def play_close(self, at: int) -> None:
        self.open(at).end_early()

    def play_drop(self, at: int) -> None:
        """Forget an iterator. Raises Impossible."""
        self.made.remove(self.open(at))
        del self.streams[at]

    def play_spoil(self, at: int) -> None:
        """Change a result, unless it is part of the arguments."""
        args, kwargs = self.given[at]
        result = self.streams[at].result
        if not shared([*args, *kwargs.values()], result):
            mutate_result(result, DEPTH)

    def play_kept(self) -> None:
        """Look whether parts of a result are given out again."""
        first, second = self.made[-2:]
        found = shared(first.result, second.result)
        if found:
            parts = [part for at, part in mutable_parts(second.result, DEPTH) if at in found]
            shows = self.shows_in_next(parts, second.answer)
            self.sharing = text_field("the same object" if shows else KEPT_UNCHANGED)

    def shows_in_next(self, kept: Sequence[Any], before: Answer) -> bool:
        """Whether a caller who changes what was given out meets that change when he asks again."""
        if any(is_container(type(part)) for part in kept):
            return True
        corrupt_result(kept)
        return self.alone(0).observed() != before.observed()

    def play_given(self, at: int) -> None:
        """Look what has become of the arguments."""
        encoder = self.encoder()
        tree = encoder.arguments(*self.given[at])
        field = self.fields.field(tree, encoder.floats)
        kind = Kind.NOT_COMPARABLE if encoder.opaque else Kind.RETURNS
        self.answers.append(Answer(kind, arguments=field, opaque=encoder.opaque))

    def play_become(self, at: int, other: int) -> None:
        """Change the arguments of a call into those of another. Raises Impossible, Closed."""
        change = InPlace()
        self.given[at] = change.of_call(self.given[at], self.fresh(other))
        if not change.done and self.is_closed(at, other):
            raise Closed
        if not change.done:
            raise Impossible

    def is_closed(self, at: int, other: int) -> bool:
        """Whether new arguments keep something private already, which no call has put there."""
        change = InPlace()
        change.of_call(self.fresh(at), self.fresh(other))
        return change.closed and not change.done

    def play_join(self, at: int) -> None:
        """Make equal values without a literal one object. Raises Impossible."""
        joiner = Joined(self.ref.module)
        self.given[at] = joiner.call(self.given[at])
        if not joiner.met:
            raise Impossible

    def play_alias(self, at: int, one: int, other: int) -> None:
        """Give an argument at another place also."""
        args, kwargs = self.given[at]
        self.given[at] = (*args[:other], args[one], *args[other + 1 :]), kwargs

    def play_rows(self, at: int, place: int) -> None:
        """Make all items of an argument the first one."""
        rows = self.given[at][0][place]
        rows[:] = rows[:1] * len(rows)

    def play_subclass(self, at: int, base: str, subclass: str) -> None:
        """Make every other object of a class one of a subclass. Raises Impossible."""
        args, kwargs = self.given[at]
        # depth to which objects are looked for that may be of a subclass
        parts = every_part([*args, *kwargs.values()], 6)
        found = {id(part): part for part in parts if type(part).__name__ == base}
        if not found:
            raise Impossible
        try:
            for part in list(found.values())[::2]:  # which another version of the module may have made
                object.__setattr__(part, "__class__", getattr(modules[type(part).__module__], subclass))
        except (AttributeError, TypeError) as error:
            raise Impossible from error

    def play_set(self, name: str, value: Any) -> None:
        setattr(self.worker.module, name, value)

    def play_context(self, digits: int, rounding: str) -> None:
        """Set another decimal context than the one in which the module was imported."""
        import decimal

        decimal.setcontext(decimal.Context(digits, rounding))

    def play_many(self, at: int) -> None:
        """Call many times with new, equal arguments; the first answer, and the first other one."""
        first = self.alone(at)
        others = (self.alone(at) for _ in range(2, scenarios.TIMES + 1))
        other = next((each for each in others if each.observed() != first.observed()), None)
        self.answers += [first] if other is None else [first, other]

    def play_gather(self, one: int, other: int) -> None:
        """Run two coroutines at once. Raises Impossible."""
        import asyncio

        made = [self.worker.function(*args, **kwargs) for args, kwargs in (self.fresh(one), self.fresh(other))]
        if not all(asyncio.iscoroutine(each) for each in made):
            raise Impossible

        async def both() -> list[Any]:
            return await asyncio.gather(*made, return_exceptions=True)

        self.answers += [Stream(self.encoder(), lambda each=each: given(each), self.fields).finish()  # type: ignore[misc]
                         for each in self.worker.loop().run_until_complete(both())]  # fmt: skip

    def play_cancel(self, at: int) -> None:
        """Cancel a coroutine where it first waits, or close an asynchronous generator after its first item. Raises
        Impossible."""
        import asyncio

        args, kwargs = self.given[at]
        made: Any = self.worker.function(*args, **kwargs)

        async def ended() -> Any:
            if hasattr(made, "aclose"):
                await made.__anext__()
                return await made.aclose()
            task = asyncio.ensure_future(made)
            await asyncio.sleep(0)
            if not task.cancel():  # it has ended without a wait
                raise Impossible
            return (await asyncio.gather(task, return_exceptions=True))[0]

        printed = CapturedOutput(self.ref, self.worker.environment.warnings)
        before = state_of(self.ref, self.worker.module)
        printed.start()
        try:
            end = self.worker.loop().run_until_complete(ended())
        except StopAsyncIteration as error:
            raise Impossible from error
        output, after = printed.stop(), state_of(self.ref, self.worker.module)
        left = what_changed(before, after, random_changed=False).changed
        words = f"ends with {type(end).__name__}" if isinstance(end, BaseException) else "ends"
        words += f", {left.shown}" if left else ""
        self.answers.append(Answer(Kind.RETURNS, text_field(words), output=output))

    def play_nest(self, one: int, other: int) -> None:
        """Let the caller's own code call the function again, a few times. Raises Impossible."""
        nested: list[Answer] = []
        busy: list[bool] = []

        def meanwhile(_: Any) -> None:
            # most calls that are made within one
            if len(nested) < 3 and not busy:
                busy.append(True)
                nested.append(self.alone(other))
                busy.pop()

        wrapped = Wrapped(self.fresh(one), meanwhile)
        if not wrapped.found:
            raise Impossible
        outer = self.begin(wrapped.call).finish()
        self.answers += [outer, *each_once(nested or [self.alone(other)])]

    def play_trace(self, at: int) -> None:
        """Arguments of a callback, in the order in which each is first given. Raises Impossible."""
        met: dict[bytes, str] = {}

        def note(args: Any) -> None:
            # most arguments of a callback that are shown
            if len(met) < 50:
                tree = self.encoder().tree(args)
                met.setdefault(written(tree), shown_text(tree))

        wrapped = Wrapped(self.fresh(at), note, iterators=False)
        if not wrapped.found:
            raise Impossible
        answer = self.begin(wrapped.call).finish()
        words = "its callback is given " + ", ".join(met.values())
        self.answers += [answer, Answer(Kind.RETURNS, text_field(repr(list(met)), shown=words[:SHOWN]))]

    def play_stop(self, one: int, other: int) -> None:
        """Stop the first call at one line after another while a second thread makes the other."""
        right = [Answer.read(self.in_child(lambda at=at: self.alone(at).told())) for at in (one, other)]  # type: ignore[misc]
        self.answers += right
        wanted = [each.observed() for each in (*right, *reversed(right))]
        waits = 0
        for step in self.in_child(lambda: self.places(one)):
            place, waited, *answers = self.in_child(lambda step=step: self.stopped_at(step, one, other))  # type: ignore[misc]
            found = [Answer.read(each) for each in answers]
            if [each.observed() for each in found] != wanted:
                self.stopped = tuple(place)
                self.answers += found
                return
            waits += waited
            # most steps with a call that cannot be interrupted, as it holds a lock
            if waits == 2:
                return

    def in_child(self, make: Callable[[], Any]) -> Any:
        """Plain values made in a process in which nothing was called before. Raises Ended."""
        found, status = in_child(make, self.batch.seconds)
        if status:
            raise Ended(status)
        return found

    def places(self, at: int) -> list[int]:
        """Steps before which a call is stopped."""
        stops = Stops(self.ref)
        self.counted(at, stops)
        return stops.chosen()

    def stopped_at(self, step: int, one: int, other: int) -> list[Any]:
        """The line with the time at which it is reached, whether the second call had to wait, then the answers: of
        both calls, the first one stopped before a step while the other is made, and of both by themselves."""
        second = Other(lambda: self.alone(other))
        stops = Stops(self.ref, step, second.run)
        first = self.counted(one, stops)
        if len(stops.lines) < step:  # it ran fewer lines than before: the other one follows
            second.run()
        before = stops.lines[:step]
        place = (before[-1], before.count(before[-1])) if before else ()
        answers = (first, second.end(), self.alone(other), self.alone(one))
        return [place, second.waited, *[each.told() for each in answers]]

    def counted(self, at: int, stops: Stops) -> Answer:
        """Answer of a call whose lines are counted; those that make its arguments are not."""
        call = self.fresh(at)
        return stops.run(lambda: self.begin(call).finish())


def is_scenario(found: Any) -> bool:
    """Whether what an expression gives are steps and calls, not the arguments of one call."""
    return type(found[1]) is tuple


def shared(one: Any, other: Any) -> Collection[int]:
    """Mutable parts that two values have in common, by their identity."""
    return dict(mutable_parts(one, DEPTH)).keys() & dict(mutable_parts(other, DEPTH)).keys()


def every_part(value: Any, depth: int) -> Iterator[Any]:
    """Parts of a value that are no plain values, from the first to the last."""
    for part in inner_parts(value) if depth else ():
        yield part
        yield from every_part(part, depth - 1)


def each_once(answers: Sequence[Answer]) -> list[Answer]:
    """Answers without those that are the same."""
    found: list[Answer] = []
    for each in answers:
        if all(each.observed() != other.observed() for other in found):
            found.append(each)
    return found


def given(value: Any) -> Any:
    """The value, unless it is an exception. Raises that."""
    if isinstance(value, BaseException):
        raise value
    return value


# Scenarios of a batch, played one after another, with their outcomes.

monotonic = time.monotonic


def play_all(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Play each scenario in a process of its own, and send its outcome."""
    names = worker.arguments.names
    names[SCENARIO] = lambda steps, *calls: (steps, calls)
    names.prepare(batch.calls)
    lost = 0
    for code in codes:
        # number of hanging scenarios after which playing ends
        if lost >= 2:
            channel.write(frame(Said.TOOK, b"0.0") + frame(Said.OUTCOME, to_json(not_made().told()).encode()))
            continue
        started = monotonic()
        performance = Performance(worker, code, batch)
        found, status = in_child(lambda each=performance: each.play().told(), batch.seconds)  # type: ignore[misc]
        took = monotonic() - started
        outcome = answer_of(found, status, batch.seconds, took)
        lost += outcome.kind == Kind.TIMEOUT
        channel.write(frame(Said.TOOK, repr(took).encode()) + frame(Said.OUTCOME, to_json(outcome.told()).encode()))


def answer_of(found: Any, status: int, seconds: float, took: float) -> Answer:
    """Answer of a scenario's process."""
    if status:
        return timeout(seconds) if status & 127 == SIGALRM else died(status, took)
    return Answer.read({**found, "seconds": took})
