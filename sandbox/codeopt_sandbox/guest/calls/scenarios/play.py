"""Player of scenarios, which gives the outcomes of their calls."""

from __future__ import annotations

from ..mutation import mutable_parts, mutate_result
from ..outcome import how_it_ended
from ..public_view import PublicViews
from ..repr.canonical import CanonicalRepr
from ..repr.plain import cut
from ..repr.private import has_private
from . import (
    AGAIN,
    CHANGED,
    CLOSED,
    GATHERED,
    HALVES,
    INSIDE,
    JOINED,
    LEFT,
    OFTEN,
    ORDER,
    STOPPED,
    THEN,
    THREADS,
    TIMES,
    TRACED,
    TURNS,
)
from .callbacks import Wrapped
from .changing import InPlace
from .child import in_child
from .joining import Joined
from .stream import Stream
from .switching import Stops, stopped_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType
    from typing import Any

    from ..arguments import Call
    from ..worker import CallWorker

MAX_NESTED = 3
"""Most calls that are made within one."""
MAX_TRACED = 50
"""Most arguments of a callback that are shown."""
WAITS = 2
"""Most steps with a call that cannot be interrupted, as it holds a lock."""


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

    def __init__(self, worker: CallWorker, code: CodeType, seconds: float) -> None:
        self.worker, self.ref, self.code, self.seconds = worker, worker.ref, code, seconds
        self.streams: list[Stream] = []
        """Calls that were made."""

    def play(self) -> str:
        """Outcomes of the calls, joined; empty where they do not fit the scenario."""
        try:
            kind = self.kind()
            text = THEN.join(self.players()[kind]()) if kind else self.alone(0)
            return text + self.shown() if has_private(text) else text
        except Impossible:
            return ""
        except Closed:
            return CLOSED
        except Ended as ended:
            return "ends a thread's process" + how_it_ended(ended.status)

    def kind(self) -> str:
        """Name of the scenario; empty for a call by itself."""
        found: Any = self.worker.arguments.fresh(self.code)
        return str(found[0]) if type(found[0]) is str else ""

    def players(self) -> dict[str, Callable[[], Sequence[str]]]:
        """Player of each scenario by its name."""
        return {
            AGAIN: self.again, OFTEN: self.often, JOINED: self.joined, CHANGED: self.changed, ORDER: self.in_order,
            TURNS: self.turns, GATHERED: self.gathered, HALVES: self.halves, LEFT: self.left,
            INSIDE: self.inside, TRACED: self.traced, THREADS: self.threads,
        }  # fmt: skip

    def fresh(self, at: int) -> Call:
        """New arguments of a call of the scenario."""
        found: Any = self.worker.arguments.fresh(self.code)
        return found[1][at] if type(found[0]) is str else found  # type: ignore[no-any-return]

    def stream(self, call: Call) -> Stream:
        """Stream of a call that has begun."""
        self.streams.append(Stream(self.ref.module, lambda: self.worker.invoke(*call)))
        return self.streams[-1]

    def shown(self) -> str:
        """Public views of what the calls returned."""
        return PublicViews(self.ref.module).shown([stream.result for stream in self.streams], self.fresh(0))

    def alone(self, at: int) -> str:
        """Outcome of one call with new arguments."""
        return self.stream(self.fresh(at)).finish()

    def again(self) -> list[str]:
        """Call again with the same objects after the caller changed the result, unless the result is part of the
        arguments."""
        call = self.fresh(0)
        first = self.stream(call)
        found = [first.finish()]
        given = dict(mutable_parts([*call[0], *call[1].values()], 3)).keys()
        if not given & dict(mutable_parts(first.result, 3)).keys():
            mutate_result(first.result, 3)
        return [*found, self.stream(call).finish()]

    def often(self) -> list[str]:
        """Call many times with new, equal arguments; the first outcome, and the first other one with its number."""
        first = self.alone(0)
        others = ((at, self.alone(0)) for at in range(2, TIMES + 1))
        other = next(((at, text) for at, text in others if text != first), None)
        return [first] if other is None else [first, f"the {other[0]}th time {other[1]}"]

    def joined(self) -> list[str]:
        """Call with arguments in which equal values without a literal are one object. Raises Impossible."""
        joiner = Joined(self.ref.module)
        args, kwargs = self.fresh(0)
        call = tuple([joiner.other(value, 8) for value in args]), joiner.named(kwargs, 8)
        if not joiner.met:
            raise Impossible
        return [self.stream(call).finish()]

    def changed(self) -> list[str]:
        """Call again with the same objects after the caller changed them. Raises Impossible, Closed."""
        call, change = self.fresh(0), InPlace()
        found = [self.stream(call).finish()]
        other = change.of_call(call, self.fresh(1))
        if not change.done and self.is_closed():
            raise Closed
        if not change.done:
            raise Impossible
        return [*found, self.stream(other).finish()]

    def is_closed(self) -> bool:
        """Whether new arguments keep something private already, which no call has put there."""
        change = InPlace()
        change.of_call(self.fresh(0), self.fresh(1))
        return change.closed and not change.done

    def in_order(self) -> list[str]:
        """Make one call after the other."""
        return [self.alone(0), self.alone(1)]

    def iterators(self) -> tuple[Stream, Stream]:
        """Two streams, begun. Raises Impossible where a call returns no iterator."""
        both = self.stream(self.fresh(0)), self.stream(self.fresh(1))
        if not all(stream.is_open for stream in both):
            raise Impossible
        return both

    def turns(self) -> list[str]:
        """Read an item of each iterator in turn."""
        both = self.iterators()
        while any([stream.step() for stream in both]):
            pass
        return [stream.text for stream in both]

    def gathered(self) -> list[str]:
        """Run two coroutines at once. Raises Impossible."""
        import asyncio

        made = [self.worker.function(*args, **kwargs) for args, kwargs in (self.fresh(0), self.fresh(1))]
        if not all(asyncio.iscoroutine(each) for each in made):
            raise Impossible

        async def both() -> list[Any]:
            return await asyncio.gather(*made, return_exceptions=True)

        return [Stream(self.ref.module, lambda each=each: given(each)).finish()  # type: ignore[misc]
                for each in self.worker.loop().run_until_complete(both())]  # fmt: skip

    def halves(self) -> list[str]:
        """Read half of one iterator, all of the other, then the rest."""
        whole = self.stream(self.fresh(0))
        whole.finish()
        first, second = self.iterators()
        for _ in range(max(1, len(whole.items) // 2)):
            first.step()
        between = second.finish()
        return [first.finish(), between]

    def left(self) -> list[str]:
        """Begin one iterator and drop it, then read the other. Raises Impossible."""
        first = self.stream(self.fresh(0))
        if not first.is_open:
            raise Impossible
        first.step()
        del first
        return [self.alone(1)]

    def inside(self) -> list[str]:
        """Let the caller's own code call the function again, a few times. Raises Impossible."""
        nested: list[str] = []
        busy: list[bool] = []

        def meanwhile(_: Any) -> None:
            if len(nested) < MAX_NESTED and not busy:
                busy.append(True)
                nested.append(self.alone(1))
                busy.pop()

        wrapped = Wrapped(self.fresh(0), meanwhile)
        if not wrapped.found:
            raise Impossible
        outer = self.stream(wrapped.call).finish()
        return [outer, *dict.fromkeys(nested or [self.alone(1)])]

    def traced(self) -> list[str]:
        """Arguments of a callback, in the order in which each is first given. Raises Impossible."""
        met: dict[str, None] = {}

        def note(args: Any) -> None:
            if len(met) < MAX_TRACED:
                met[CanonicalRepr(self.ref.module).show(args)[:200]] = None

        wrapped = Wrapped(self.fresh(0), note, iterators=False)
        if not wrapped.found:
            raise Impossible
        return [self.stream(wrapped.call).finish(), cut("its callback is given " + ", ".join(met))]

    def threads(self) -> list[str]:
        """Stop the first call at one line after another while a second thread makes the other."""
        right = [self.in_child(lambda: self.alone(0)), self.in_child(lambda: self.alone(1))]
        waits = 0
        for step in self.in_child(self.steps).split():
            said = self.in_child(lambda step=step: "\0".join(self.stopped(int(step))))  # type: ignore[misc]
            place, waited, *texts = said.split("\0")
            if texts != [*right, *reversed(right)]:
                return [*right, f"{STOPPED}{place}: {THEN.join(texts)}"]
            waits += bool(waited)
            if waits == WAITS:
                break
        return right

    def in_child(self, make: Callable[[], str]) -> str:
        """Text made in a process in which nothing was called before. Raises Ended."""
        text, status = in_child(make, self.seconds)
        if status:
            raise Ended(status)
        return text

    def steps(self) -> str:
        """Steps before which the first call is stopped."""
        stops = Stops(self.ref)
        stops.run(lambda: self.alone(0))
        return " ".join(map(str, stops.chosen()))

    def stopped(self, step: int) -> Sequence[str]:
        """Outcomes of both calls with new arguments, the first one stopped before a step."""
        call = self.fresh(0)
        return stopped_at(self.ref, step, lambda: self.worker.invoke(*call), self.alone)


def given(value: Any) -> Any:
    """The value, unless it is an exception. Raises that."""
    if isinstance(value, BaseException):
        raise value
    return value
