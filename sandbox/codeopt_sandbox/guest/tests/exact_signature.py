"""Wrapper with the function's own parameters, for frequent calls: `*args, **kwargs` take twice the time.

It is compiled from text, because nothing else can create a signature. Its code replaces the wrapper's code and has the
same cells.
"""

from __future__ import annotations

from keyword import iskeyword

from .sampling import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType
    from typing import Any

    from .sampling import Schedule

STAR = 0x04
"""Bit of co_flags that marks `*args`."""
STARS = 0x08
"""Bit of co_flags that marks `**kwargs`."""
PLAIN = """\
    def recorded({parameters}):
        nonlocal left, measure, at, top
        left -= 1
        try:
            large = top >= 0 and ({sized} if measure is None else measure({sized})) > top
        except (TypeError, LookupError):
            large, top = schedule.unmeasured(), schedule.top
        if large or left < 0:
            schedule.left = left
            note(function, {given}, {named})
            left, measure, at, top = schedule.now()
        return {call}
"""
COROUTINE = PLAIN.replace("def recorded", "async def recorded").replace("return ", "return await ")
RECURSIVE = """\
    def recorded({parameters}):
        nonlocal left, measure, at, top, state, nested, back
        if state:
            if state == SHARED or (state == WITHIN and threads()):
                state = SHARED
                return in_threads({passed})
            nested = nested + 1 if state == NESTED else 1
            state = NESTED
            if nested == DEEP and not threads():
                back = name.step_aside()
            return {call}
        left -= 1
        try:
            large = top >= 0 and ({sized} if measure is None else measure({sized})) > top
        except (TypeError, LookupError):
            large, top = schedule.unmeasured(), schedule.top
        if large or left < 0:
            if threads():
                state = SHARED
                return in_threads({passed})
            schedule.left = left
            note(function, {given}, {named})
            left, measure, at, top = schedule.now()
        state = WITHIN
        try:
            return {call}
        finally:
            if state != SHARED:
                state = 0
            if back is not None:
                back()
                back = None
"""
TAKEN = {"large", "SHARED", "WITHIN", "NESTED", "DEEP", "TypeError", "LookupError"}
"""Names in these texts in addition to the wrapper's cells. No parameter may have one of them."""


class Signature:
    """Parameters that a function can be called with; any arguments where they are unknown or would be in the way."""

    def __init__(self, function: Any, taken: set[str], by_position: int) -> None:
        """by_position: number of parameters that calls give by position, as far as was seen; the others are given by
        name."""
        code = getattr(function, "__code__", None)
        names: tuple[str, ...] = code.co_varnames[: _parameters(code)] if code is not None else ()
        if code is None or any(name in taken or iskeyword(name) or not name.isidentifier() for name in names):
            self.plain, self.only, self.star, self.stars = names[:0], names[:0], "args", "kwargs"
            self.first_only = self.by_position = 0
            return
        only = code.co_argcount + code.co_kwonlyargcount
        self.plain, self.only, rest = names[: code.co_argcount], names[code.co_argcount : only], list(names[only:])
        self.star = rest.pop(0) if code.co_flags & STAR else ""
        self.stars = rest.pop(0) if code.co_flags & STARS else ""
        self.first_only = code.co_posonlyargcount
        most = len(self.plain)
        self.by_position = most if self.star else min(most, max(by_position, self.first_only))

    def fields(self, schedule: Schedule) -> dict[str, str]:
        """Return the fields of the texts. They set how the schedule finds an argument's size, if one is known."""
        star, stars = f"*{self.star}" * bool(self.star), f"**{self.stars}" * bool(self.stars)
        before = [*self.plain[: self.first_only], *["/"] * bool(self.first_only), *self.plain[self.first_only :]]
        bare = ["*"] if self.only and not star else []
        only = [f"{name}={name}" for name in self.only]
        passed = _list(*self.plain, star, *only, stars)
        by_name = [f"{name!r}: {name}" for name in (*self.plain[self.by_position :], *self.only)]
        given = f"({''.join(f'{each}, ' for each in (*self.plain[: self.by_position], star) if each)})"
        named = f"{{{_list(*by_name, stars)}}}"
        call = f"function({passed})"
        if stars:  # to merge an empty dict takes time
            call = f"({call} if {self.stars} else function({_list(*self.plain, star, *only)}))"
        return {
            "parameters": _list(*before, *bare, star, *self.only, stars), "passed": passed, "call": call,
            "given": given, "named": named,
            "sized": self._sized(schedule) or f"schedule.sized({given}, {named})",
        }  # fmt: skip

    def _sized(self, schedule: Schedule) -> str:
        """The argument that has a size; empty where none was seen yet."""
        at = schedule.at
        if schedule.top == UNKNOWN:
            return ""
        if at in self.plain:
            where = self.plain.index(str(at))
            schedule.at = where if where < self.by_position else at
        if isinstance(at, str):
            return at if at in (*self.plain, *self.only) else f"{self.stars}[{at!r}]"
        return self.plain[at] if at < len(self.plain) else f"{self.star}[{at - len(self.plain)}]"


def settle(wrapper: Any, function: Any, text: str, schedule: Schedule, by_position: int) -> None:
    """Give a wrapper the function's parameters, and their defaults."""
    cells = wrapper.__code__.co_freevars
    signature = Signature(function, {*cells, *TAKEN}, by_position)
    new = _compiled(text.format(**signature.fields(schedule)), cells)
    if signature.plain or signature.only:  # before the code, which may be called from another thread at once
        wrapper.__defaults__, wrapper.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    wrapper.__code__ = new.replace(co_name=getattr(function, "__code__", new).co_name)


def without_defaults(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """A call as a settled wrapper has it, without what its caller left out."""
    code = getattr(function, "__code__", None)
    if code is None:
        return args, kwargs
    plain, defaults = code.co_varnames[: code.co_argcount], function.__defaults__ or ()
    usual = {**dict(zip(plain[len(plain) - len(defaults) :], defaults)), **(function.__kwdefaults__ or {})}
    kept = len(args)
    while 0 < kept <= len(plain) and plain[kept - 1] in usual and args[kept - 1] is usual[plain[kept - 1]]:
        kept -= 1
    return args[:kept], {name: value for name, value in kwargs.items() if name not in usual or value is not usual[name]}


def _parameters(code: CodeType) -> int:
    """Number of a code object's variables that are parameters."""
    stars = bool(code.co_flags & STAR) + bool(code.co_flags & STARS)
    return code.co_argcount + code.co_kwonlyargcount + stars


def _list(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _compiled(text: str, cells: tuple[str, ...]) -> CodeType:
    """Code object of the inner function."""
    whole = f"def outer({', '.join(cells)}):\n{text}    return recorded\n"
    space: dict[str, Any] = {}
    exec(compile(whole, "<recorder>", "exec"), space)
    return space["outer"](*cells).__code__  # type: ignore[no-any-return]
