"""Writes down real calls of one function while a program, a test run or doctests use it.

Used in two places: in the sandbox, where existing tests and doctests run with it, and beside the user's own command
in `codeopt record`, in whatever interpreter that starts. What is pickled here is only ever unpickled in a sandbox.
"""

from __future__ import annotations

import _thread
import os

from .blame import LARGE, blame
from .exact import PLAIN, RECURSIVE, settle
from .recursion import Name, innermost, stack_is_deep
from .sampling import ALL_OF, Schedule
from .writing import write_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType, ModuleType
    from typing import Any

    Function = Callable[..., Any]

MOST_TEXT = 1_000_000
"""Characters of a call."""
ROOM, FEW = 1_500_000, 12
"""Characters of all calls, after which no more are kept; a few are, however long."""
EXACT, UNASKED = 10_000, 15
"""After so many calls within a call only each 16th is asked whether it is another thread's, which takes time."""
WITHIN, NESTED, SHARED = 1, 2, 3
"""A function that may call itself is running, has called itself, or is called from several threads."""
DEEP = 50
"""So many calls within a call are a recursion that is stepped aside for."""
COROUTINE = 0x80
"""Of a code object's flags: `async def`, not a generator."""


class Recorder:
    """Stands before the function, passes everything on, and keeps a bounded, varied sample; from any thread."""

    def __init__(self, module: str, qualname: str, most: int, sink: Callable[[str], None]) -> None:
        self.module, self.qualname, self.most, self.sink = module, qualname, most, sink
        self.seen: set[str] = set()
        self.shapes: dict[tuple[tuple[type, int], ...], int] = {}
        self.schedule = Schedule()
        self.size = 0
        self.lost: dict[str, int] = {}
        """Why calls cannot be written down -> how many."""
        self.of_class = False
        """A class method: the class is no argument of the call."""
        self.often: list[tuple[Any, Any, str]] = []
        """Stand-ins that may become quicker, what they stand for, and how."""
        self.inside: set[int] = set()
        """Threads within the function: of a recursion the outermost call is written down."""
        self.writing = False
        self.after_fork()
        os.register_at_fork(after_in_child=self.after_fork)

    def after_fork(self) -> None:
        """The other threads are gone, and with them what they held."""
        self.lock = _thread.RLock()
        self.inside &= {_thread.get_ident()}
        self.writing = False

    def note(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Write down a call before it is made: the function may change its arguments."""
        with self.lock:
            if self.writing:  # an argument's own code, by which it is pickled, calls the function
                return
            self.writing = True
            try:
                self._note(function, args, kwargs)
            finally:
                self.writing = False

    def _note(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        largest = self.schedule.taken(args)
        if self.often and (kwargs or self.schedule.count > ALL_OF):
            self.settle(bool(kwargs))
        if self.of_class:
            function, args = function.__get__(args[0]), args[1:]
        if not largest and len(self.seen) >= (self.most if self.size < ROOM else FEW):
            return
        shape = tuple(_shape(value) for value in (*args, *kwargs.values()))
        number = self.shapes[shape] = self.shapes.get(shape, 0) + 1
        if not largest and number % max(1, 1 << number.bit_length() >> 4):
            return  # all of the first 16 are kept, then about 8 each time it doubles
        text = write_call(args, kwargs)
        if text is None or len(text) >= MOST_TEXT:
            self.lose(function, args, kwargs, text)
        elif text not in self.seen:
            self.seen.add(text)
            self.size += len(text)
            self.sink(text)

    def settle(self, by_name: bool) -> None:
        """Of a function that is called often, and never by its parameters' names: spare the stand-in the ways to be
        called that nobody uses. A call by name from now on is written down by position."""
        at = self.schedule.at if self.schedule.top >= 0 else -1
        for stand_in, function, text in () if by_name else self.often:
            settle(stand_in, function, text, at)
        self.often.clear()

    def lose(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], text: str | None) -> None:
        """Count a call that has no text, or too long a one; to find out why takes time, and is done for the first."""
        if text is None and sum(self.lost.values()) < 20:
            why = blame(function, args, kwargs)
        else:
            why = LARGE if text is not None else next(iter(self.lost))
        if why not in self.lost:
            self.sink("# " + why)
        self.lost[why] = self.lost.get(why, 0) + 1

    def around(self, function: Any) -> Function:
        """The function with the recorder before it."""
        code = _code(function)
        if code is not None and code.co_flags & COROUTINE:
            recorded = self.around_coroutine(function)
        elif code is not None and function_name(function) not in names_in(code):
            recorded = self.around_plain(function)
        else:
            recorded = self.around_recursive(function)
        return _as_if(recorded, function)

    def around_plain(self, function: Any) -> Function:
        """Before a function that does not call itself. A call that is not looked at costs about one call more: what
        is asked of it is kept in cells, here and below, and no empty dict is merged."""
        schedule, note = self.schedule, self.note
        left, measure, at, top = schedule.now()

        def recorded(*args: Any, **kwargs: Any) -> Any:
            nonlocal left, measure, at, top
            left -= 1
            try:
                large = top >= 0 and (args[at] if measure is None else measure(args[at])) > top
            except (TypeError, IndexError):
                large, top = schedule.unmeasured(), schedule.top
            if large or left < 0:
                schedule.left = left
                note(function, args, kwargs)
                left, measure, at, top = schedule.now()
            return function(*args, **kwargs) if kwargs else function(*args)

        self.often.append((recorded, function, PLAIN))
        return recorded

    def around_recursive(self, function: Any) -> Function:
        """Before one that may call itself: of the calls in a call nothing is kept, and after a few of them the
        stand-in steps aside until the outermost is over."""
        schedule, note, threads = self.schedule, self.note, _thread._count
        left, measure, at, top = schedule.now()
        name = Name(function, self.qualname)
        in_threads = self.around_in_threads(function, name)
        state = nested = 0
        back: Callable[[], None] | None = None

        def recorded(*args: Any, **kwargs: Any) -> Any:
            nonlocal left, measure, at, top, state, nested, back
            if state:
                if state == SHARED or (state == WITHIN and threads()):
                    state = SHARED
                    return in_threads(*args, **kwargs)
                nested = nested + 1 if state == NESTED else 1
                state = NESTED
                if nested == DEEP and not threads():
                    back = name.step_aside()
                return function(*args, **kwargs) if kwargs else function(*args)
            left -= 1
            try:
                large = top >= 0 and (args[at] if measure is None else measure(args[at])) > top
            except (TypeError, IndexError):
                large, top = schedule.unmeasured(), schedule.top
            if large or left < 0:
                if threads():
                    state = SHARED
                    return in_threads(*args, **kwargs)
                schedule.left = left
                note(function, args, kwargs)
                left, measure, at, top = schedule.now()
            state = WITHIN
            try:
                return function(*args, **kwargs) if kwargs else function(*args)
            finally:
                if state != SHARED:
                    state = 0
                if back is not None:
                    back()
                    back = None

        name.stand_in = recorded
        self.often.append((recorded, function, RECURSIVE))
        return recorded

    def around_in_threads(self, function: Any, name: Name) -> Function:
        """As that, where other threads may call the function meanwhile: their calls are outermost ones, too. It steps
        aside only where Python's recursion limit is near, as it would not see them then."""
        inside, get_ident = self.inside, _thread.get_ident
        outermost = self.around_plain(function)
        exact, unasked, nested = EXACT, 0, 0
        backs: dict[int, Callable[[], None]] = {}

        def recorded(*args: Any, **kwargs: Any) -> Any:
            nonlocal exact, unasked, nested
            nested += 1
            if not nested % DEEP and stack_is_deep() and get_ident() in inside:
                back = name.step_aside()
                if back is not None:
                    backs[get_ident()] = back
            if unasked:
                unasked -= 1
                return function(*args, **kwargs) if kwargs else function(*args)
            me = get_ident()
            if me in inside:
                exact -= 1
                if exact < 0:
                    unasked = UNASKED
                return function(*args, **kwargs) if kwargs else function(*args)
            inside.add(me)
            try:
                return outermost(*args, **kwargs)
            finally:
                inside.discard(me)
                unasked = 0
                if me in backs:
                    backs.pop(me)()

        return recorded

    def around_coroutine(self, function: Any) -> Function:
        """Before `async def`: frameworks ask whether that is what a function is."""
        schedule, note = self.schedule, self.note
        left, measure, at, top = schedule.now()

        async def recorded(*args: Any, **kwargs: Any) -> Any:
            nonlocal left, measure, at, top
            left -= 1
            try:
                large = top >= 0 and (args[at] if measure is None else measure(args[at])) > top
            except (TypeError, IndexError):
                large, top = schedule.unmeasured(), schedule.top
            if large or left < 0:
                schedule.left = left
                note(function, args, kwargs)
                left, measure, at, top = schedule.now()
            return await function(*args, **kwargs)

        return recorded

    def wrap(self, module: ModuleType) -> None:
        """Put it before the function of a module that was just imported."""
        if not self.module:
            self.sink("@ loaded " + module.__name__)
        owner: Any = module
        *classes, name = self.qualname.split(".")
        for part in classes:
            owner = getattr(owner, part)
        raw = vars(owner).get(name)
        if type(raw).__name__ == "cached_property":
            raw.func = self.around(raw.func)
        elif (new := self.in_place_of(raw)) is not None:
            setattr(owner, name, new)

    def in_place_of(self, raw: Any) -> Any:
        """What a class or module holds, with the recorder before it; None where there is nothing to call."""
        if isinstance(raw, property):
            return property(self.around(raw.fget), raw.fset, raw.fdel, raw.__doc__)
        if isinstance(raw, staticmethod):
            return staticmethod(self.around(raw.__func__))
        if isinstance(raw, classmethod):
            self.of_class = True
            return classmethod(self.around(raw.__func__))
        return self.around(raw) if callable(raw) else None


def _as_if(recorded: Any, function: Any) -> Function:
    """With the name and all else by which a function is known."""
    try:
        recorded.__dict__.update(function.__dict__)
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(recorded, name, getattr(function, name))
    except AttributeError:
        pass
    recorded.__wrapped__ = function
    return recorded  # type: ignore[no-any-return]


def _code(function: Any) -> CodeType | None:
    """Of the function itself, behind decorators that say what they wrap."""
    return getattr(innermost(function), "__code__", None)


def function_name(function: Any) -> str:
    """As its own text would call it."""
    return str(getattr(function, "__name__", ""))


def names_in(code: CodeType) -> set[str]:
    """Names that a function's code and what is defined in it look up."""
    found = {*code.co_names, *code.co_freevars}
    for value in code.co_consts:
        if hasattr(value, "co_names"):
            found |= names_in(value)
    return found


def _shape(value: Any) -> tuple[type, int]:
    """What makes two values alike: their type and about how large they are."""
    try:
        size = len(value).bit_length()
    except Exception:
        size = 0
    return type(value), size
