"""Wrappers before a recorded function, which pass most of many calls on unseen."""

from __future__ import annotations

import _thread

from .recursion import StandInPlace, innermost, stack_is_deep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any, Protocol

    from .sampling import Schedule

    Function = Callable[..., Any]

    class Recorder(Protocol):
        """Interface of CallRecorder that the wrappers use."""

        qualname: str
        schedule: Schedule
        inside: set[int]

        def note(self, function: Any, args: Any, kwargs: Any) -> None:
            """Write down a call before it is made."""


MAX_EXACT_CALLS = 10_000
"""Calls within a call after which only some are asked whether they are of another thread, which takes time."""
UNASKED_CALLS = 15
"""Calls between two that are asked then."""
WITHIN = 1
"""State of a function that may call itself and is running."""
NESTED = 2
"""State of a function that has called itself."""
SHARED = 3
"""State of a function that is called from several threads."""
MAX_NESTED_CALLS = 50
"""Depth of calls within a call from which on a wrapper steps aside."""
IS_COROUTINE = 0x80
"""Bit of co_flags that marks `async def`, not a generator."""


def wrapper(recorder: Recorder, function: Any) -> Function:
    """The function with the recorder before it."""
    code = _code(function)
    if code is not None and code.co_flags & IS_COROUTINE:
        recorded = before_coroutine(recorder, function)
    elif code is not None and function_name(function) not in names_in(code):
        recorded = before_plain(recorder, function)
    else:
        recorded = before_recursive(recorder, function)
    return _as_if(recorded, function)


def before_plain(recorder: Recorder, function: Any) -> Function:
    """Wrapper of a function that does not call itself."""
    is_due, note = recorder.schedule.is_due, recorder.note

    def recorded(*args: Any, **kwargs: Any) -> Any:
        if is_due(args, kwargs):
            note(function, args, kwargs)
        return function(*args, **kwargs)

    return recorded


def before_coroutine(recorder: Recorder, function: Any) -> Function:
    """Wrapper of an `async def`, which is one itself, as frameworks ask for that."""
    is_due, note = recorder.schedule.is_due, recorder.note

    async def recorded(*args: Any, **kwargs: Any) -> Any:
        if is_due(args, kwargs):
            note(function, args, kwargs)
        return await function(*args, **kwargs)

    return recorded


def before_recursive(recorder: Recorder, function: Any) -> Function:
    """Return a wrapper of a function that may call itself. Calls within a call are not kept.

    After a few of them the wrapper steps aside until the outermost call ends.
    """
    is_due, note, threads = recorder.schedule.is_due, recorder.note, _thread._count
    name = StandInPlace(function, recorder.qualname)
    in_threads = before_threads(recorder, function, name)
    state = nested = 0
    back: Callable[[], None] | None = None

    def recorded(*args: Any, **kwargs: Any) -> Any:
        nonlocal state, nested, back
        if state:
            if state == SHARED or (state == WITHIN and threads()):
                state = SHARED
                return in_threads(*args, **kwargs)
            nested = nested + 1 if state == NESTED else 1
            state = NESTED
            if nested == MAX_NESTED_CALLS and not threads():
                back = name.step_aside()
            return function(*args, **kwargs) if kwargs else function(*args)
        if threads():
            state = SHARED
            return in_threads(*args, **kwargs)
        if is_due(args, kwargs):
            note(function, args, kwargs)
        state = WITHIN
        try:
            return function(*args, **kwargs) if kwargs else function(*args)
        finally:
            if state != SHARED:
                state = 0
            if back is not None:
                back()
                back = None

    name.wrapper = recorded
    return recorded


def before_threads(recorder: Recorder, function: Any, name: StandInPlace) -> Function:
    """Return a wrapper of a recursive function that other threads may call meanwhile. Their calls also are outermost
    ones.

    It steps aside only near Python's recursion limit, as other threads would bypass it.
    """
    inside, get_ident = recorder.inside, _thread.get_ident
    outermost = before_plain(recorder, function)
    exact, unasked, nested = MAX_EXACT_CALLS, 0, 0
    backs: dict[int, Callable[[], None]] = {}

    def recorded(*args: Any, **kwargs: Any) -> Any:
        nonlocal exact, unasked, nested
        nested += 1
        if not nested % MAX_NESTED_CALLS and stack_is_deep() and get_ident() in inside:
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
                unasked = UNASKED_CALLS
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


def _as_if(recorded: Any, function: Any) -> Function:
    """Give a wrapper the name and all else by which the function is known."""
    try:
        recorded.__dict__.update(function.__dict__)
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(recorded, name, getattr(function, name))
    except AttributeError:
        pass
    recorded.__wrapped__ = function
    return recorded  # type: ignore[no-any-return]


def _code(function: Any) -> CodeType | None:
    """Code of the function itself, behind decorators that name what they wrap."""
    return getattr(innermost(function), "__code__", None)


def function_name(function: Any) -> str:
    """Name of the function in its own text."""
    return str(getattr(function, "__name__", ""))


def names_in(code: CodeType) -> set[str]:
    """Names that a function's code and what is defined in it look up."""
    found = {*code.co_names, *code.co_freevars}
    for value in code.co_consts:
        if hasattr(value, "co_names"):
            found |= names_in(value)
    return found
