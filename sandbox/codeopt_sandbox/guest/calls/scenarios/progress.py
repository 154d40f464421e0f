"""Calls in progress: iterators read by steps, callbacks that act meanwhile, threads stopped at lines."""

from __future__ import annotations

import sys
import types

from ...answer import Answer, Kind
from ...request import OwnCode
from ..outcome import not_made
from ..repr.structure import NAMED, is_iterator, with_items
from ..repr.tree import exception_trees

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any

    from ...request import FunctionRef
    from ..arguments import Call
    from ..outcome import FieldMaker
    from ..repr.tree import Encoder


MAX_ITEMS = 1000
"""Most items that are read of an iterator."""


class Stream:
    """A call in progress: its result, exception or items."""

    def __init__(self, encoder: Encoder, make: Callable[[], Any], fields: FieldMaker) -> None:
        self.fields, self.encoder = fields, encoder
        self.encoder.live = True
        self.items: list[Any] = []
        self.end: Any = None
        self.tree: Any = ()
        self.begun = self.is_open = False
        """Whether there is an iterator, and whether it may have more items."""
        self.raised: BaseException | None = None
        self.result: Any = None
        try:
            self.result = make()
            self.begun = self.is_open = is_iterator(self.result)
            if not self.is_open:
                self.tree = self.encoder.tree(self.result)
        except BaseException as error:
            self.raised = error

    def step(self, take: Callable[[Any], Any] = next) -> bool:
        """Take an item; True while there may be more."""
        if self.is_open:
            try:
                self.items.append(self.encoder.tree(take(self.result)))
                if len(self.items) >= MAX_ITEMS:
                    self.close(("more",))
            except StopIteration as stop:
                self.close(("returns", self.encoder.tree(stop.value)) if stop.value is not None else None)
            except BaseException as error:
                self.close(exception_trees(self.encoder, error)[0])
        return self.is_open

    def throw(self) -> None:
        """Throw an exception into the iterator. One that takes none ends as a generator does that catches none."""

        def thrown(result: Any) -> Any:
            error = ValueError("thrown")
            if not hasattr(result, "throw"):
                raise error
            return result.throw(error)

        self.step(thrown)

    def end_early(self) -> None:
        """Close the iterator, if it can be."""
        getattr(self.result, "close", int)()

    def close(self, end: Any) -> None:
        """Stop reading."""
        self.is_open, self.end = False, end

    def finish(self) -> Answer:
        """Read to the end; the answer."""
        while self.step():
            pass
        return self.answer

    @property
    def answer(self) -> Answer:
        """Everything until now."""
        make, encoder = self.fields, self.encoder
        if self.raised is not None:
            tree, _ = exception_trees(encoder, self.raised)
            return Answer(Kind.RAISES, raised=make.field(tree, encoder.floats), exception=tree[1][1])
        tree = ("iterator", self.items, self.end) if self.begun else self.tree
        value = make.field(tree, encoder.floats)
        private = make.field(encoder.private_tree(), value=sorted(encoder.names))
        kind = Kind.NOT_COMPARABLE if encoder.opaque else Kind.RETURNS
        return Answer(kind, value, private=private, opaque=encoder.opaque)


# Wrappers around functions and iterators among the arguments, so that the caller's own code can act while a call
# runs.

FUNCTIONS = ("partial", "itemgetter", "attrgetter", "methodcaller")
MAX_DEPTH = 2


class Wrapped:
    """Arguments of a call whose functions and iterators report their use. `on_use`: called with the arguments of a
    function before it is called, and with each item before it is taken."""

    def __init__(self, call: Call, on_use: Callable[[tuple[Any, ...]], None], iterators: bool = True) -> None:
        self.on_use, self.iterators, self.found = on_use, iterators, 0
        args = tuple([self.wrap(value, MAX_DEPTH) for value in call[0]])
        self.call: Call = args, {name: self.wrap(value, MAX_DEPTH) for name, value in call[1].items()}

    def wrap(self, value: Any, depth: int) -> Any:
        """The value with its functions and iterators wrapped; containers are changed in place."""
        if is_function(value):
            return self.function(value)
        if self.iterators and is_iterator(value):
            self.found += 1
            return self.items(value)
        return with_items(value, lambda item: self.wrap(item, depth - 1)) if depth else value

    def function(self, value: Any) -> Callable[..., Any]:
        """Function that reports its use and calls the original."""
        self.found += 1

        def called(*args: Any, **kwargs: Any) -> Any:
            self.on_use(args)
            return value(*args, **kwargs)

        for name in ("__name__", "__qualname__", "__doc__"):
            setattr(called, name, getattr(value, name, None) or "callback")
        return called

    def items(self, value: Iterator[Any]) -> Iterator[Any]:
        """Items of the original, each reported before it is taken."""
        for item in value:
            self.on_use((item,))
            yield item


def is_function(value: Any) -> bool:
    """Whether a value is a function of any kind, or a builtin class, as `str` is."""
    if isinstance(value, type):
        return value.__module__ == "builtins"
    if isinstance(value, types.ModuleType):
        return False
    return isinstance(value, (*NAMED, types.MethodType)) or type(value).__name__ in FUNCTIONS


# Two threads, switched at chosen lines: one is stopped at a line while the other makes a whole call, so that nothing
# is left to chance.
#
# Lines are those of the project's own code. If the second thread has to wait for the first, as for a lock, the first
# continues after WAIT_S.

MAX_STEPS = 20_000
"""Most steps in which places to stop are looked for."""
WAIT_S = 0.3
"""Time that the stopped call waits for the other, seconds."""
END_S = 5.0
"""Time limit for the end of the other call, seconds."""


class Stops:
    """Counter of the lines that a call runs, which acts at one of them."""

    def __init__(self, ref: FunctionRef, at: int = 0, then: Callable[[], None] = lambda: None) -> None:
        self.own, self.at, self.then = OwnCode(ref), at, then
        self.lines: list[int] = []

    def run(self, call: Callable[[], Answer]) -> Answer:
        """Make a call while its lines are counted."""
        sys.settrace(self.trace)
        try:
            return call()
        finally:
            sys.settrace(None)

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Trace function for sys.settrace."""
        if not self.own.has(frame.f_code.co_filename):
            return None
        if event == "line":
            self.lines.append(frame.f_lineno)
            if len(self.lines) == self.at:
                sys.settrace(None)
                self.then()
            if len(self.lines) >= max(MAX_STEPS, self.at):
                sys.settrace(None)
        return self.trace

    def chosen(self) -> list[int]:
        """Steps before which to stop: the first and the middle one of each line, as many as are affordable."""
        places: dict[int, list[int]] = {}
        for step, line in enumerate(self.lines, 1):
            places.setdefault(line, []).append(step)
        found = sorted({step for steps in places.values() for step in (steps[0], steps[len(steps) // 2])})
        # most places at which a call is stopped, each in a process of its own
        apart = max(1, -(-len(found) // 8))
        return found[::apart]


class Other:
    """A call in another thread."""

    def __init__(self, make: Callable[[], Answer]) -> None:
        import _thread

        self.make, self.start = make, _thread.start_new_thread
        self.answer, self.waited = not_made(), False
        self.over = _thread.allocate_lock()
        self.over.acquire()

    def run(self) -> None:
        """Start the call and wait for its end, for WAIT_S at most."""
        self.start(self.called, ())
        self.waited = not self.over.acquire(True, WAIT_S)

    def called(self) -> None:
        try:
            self.answer = self.make()
        finally:
            self.over.release()

    def end(self) -> Answer:
        if self.waited:
            self.over.acquire(True, END_S)
        return self.answer
