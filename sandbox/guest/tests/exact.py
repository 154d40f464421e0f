"""A stand-in with the function's own parameters, for one that is called very often: `*args, **kwargs` take twice the
time. It is compiled from text, as no other way leads to a signature that is known at run time only, and takes the place
of the stand-in's code, with the same cells."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

VARIADIC = 0x04 | 0x08
"""Of a code object's flags: `*args` or `**kwargs`."""
PLAIN = """\
    def recorded({names}):
        nonlocal left, measure, at, top
        left -= 1
        try:
            large = top >= 0 and ({sized} if measure is None else measure({sized})) > top
        except TypeError:
            large, top = schedule.unmeasured(), schedule.top
        if large or left < 0:
            schedule.left = left
            note(function, ({names}), {{}})
            left, measure, at, top = schedule.now()
        return function({names})
"""
RECURSIVE = """\
    def recorded({names}):
        nonlocal left, measure, at, top, state, nested, back
        if state:
            if state == SHARED or (state == WITHIN and threads()):
                state = SHARED
                return in_threads({names})
            nested = nested + 1 if state == NESTED else 1
            state = NESTED
            if nested == DEEP and not threads():
                back = name.step_aside()
            return function({names})
        left -= 1
        try:
            large = top >= 0 and ({sized} if measure is None else measure({sized})) > top
        except TypeError:
            large, top = schedule.unmeasured(), schedule.top
        if large or left < 0:
            if threads():
                state = SHARED
                return in_threads({names})
            schedule.left = left
            note(function, ({names}), {{}})
            left, measure, at, top = schedule.now()
        state = WITHIN
        try:
            return function({names})
        finally:
            if state != SHARED:
                state = 0
            if back is not None:
                back()
                back = None
"""


def settle(stand_in: Any, function: Any, text: str, at: int) -> bool:
    """Give a stand-in the function's parameters, where they are plain ones. at: which of them has a size, if known."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & VARIADIC or code.co_kwonlyargcount or code.co_posonlyargcount:
        return False
    if function.__defaults__:
        return False
    names = code.co_varnames[: code.co_argcount]
    cells = stand_in.__code__.co_freevars
    if not names or {*names} & {*cells, "large", "SHARED", "WITHIN", "NESTED", "DEEP"}:
        return False
    listed = ", ".join(names) + ","
    sized = names[at] if 0 <= at < len(names) else f"({listed})[at]"
    new = _compiled(text.format(names=listed, sized=sized), cells)
    if new.co_freevars != cells:
        return False
    stand_in.__code__ = new.replace(co_name=code.co_name)
    return True


def _compiled(text: str, cells: tuple[str, ...]) -> CodeType:
    """Of the inner function."""
    whole = f"def outer({', '.join(cells)}):\n{text}    return recorded\n"
    space: dict[str, Any] = {}
    exec(compile(whole, "<recorder>", "exec"), space)
    return space["outer"](*cells).__code__  # type: ignore[no-any-return]
