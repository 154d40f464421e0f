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


MAX_NESTED_CALLS = 50
"""Calls within calls after which a wrapper steps aside."""
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
    """Return a wrapper of a function that may call itself. Of each thread the outermost call is kept.

    After some calls within a call the wrapper steps aside until the outermost one ends. With other threads, whose calls
    would bypass it, it does so only near Python's recursion limit.
    """
    is_due, note, inside = recorder.schedule.is_due, recorder.note, recorder.inside
    get_ident, threads = _thread.get_ident, _thread._count
    name = StandInPlace(function, recorder.qualname)
    backs: dict[int, Callable[[], None]] = {}
    nested = 0

    def recorded(*args: Any, **kwargs: Any) -> Any:
        nonlocal nested
        me = get_ident()
        if me in inside:
            nested += 1
            if not nested % MAX_NESTED_CALLS and (not threads() or stack_is_deep()):
                back = name.step_aside()
                if back is not None:
                    backs[me] = back
            return function(*args, **kwargs)
        inside.add(me)
        try:
            if is_due(args, kwargs):
                note(function, args, kwargs)
            return function(*args, **kwargs)
        finally:
            inside.discard(me)
            if me in backs:
                backs.pop(me)()

    name.wrapper = recorded
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
    return str(getattr(function, "__name__", ""))


def names_in(code: CodeType) -> set[str]:
    """Names that a function's code and what is defined in it look up."""
    found = {*code.co_names, *code.co_freevars}
    for value in code.co_consts:
        if hasattr(value, "co_names"):
            found |= names_in(value)
    return found
