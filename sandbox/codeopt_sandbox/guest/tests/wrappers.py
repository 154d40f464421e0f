"""Wrappers before a recorded function, which pass most of many calls on unseen."""

from __future__ import annotations

import _thread
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType
    from typing import Any, Protocol

    Function = Callable[..., Any]

    class Recorder(Protocol):
        """Interface of CallRecorder that the wrappers use."""

        qualname: str
        schedule: Schedule
        inside: set[int]

        def note(self, function: Any, args: Any, kwargs: Any) -> Any:
            """Write down a call before it is made; what is returned is entered meanwhile, and gets its `result`."""


MAX_NESTED_CALLS = 50
"""Calls within calls after which a wrapper steps aside."""
IS_COROUTINE = 0x80
"""Bit of co_flags that marks `async def`, not a generator."""


def wrapper(recorder: Recorder, function: Any) -> Function:
    """The function with the recorder before it."""
    code: CodeType | None = getattr(innermost(function), "__code__", None)
    if code is not None and code.co_flags & IS_COROUTINE:
        recorded = before_coroutine(recorder, function)
    elif code is not None and str(getattr(function, "__name__", "")) not in names_in(code):
        recorded = before_plain(recorder, function)
    else:
        recorded = before_recursive(recorder, function)
    named: Any = recorded
    try:  # the name and all else by which the function is known
        named.__dict__.update(function.__dict__)
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(named, name, getattr(function, name))
    except AttributeError:
        pass
    named.__wrapped__ = function
    return recorded


def before_plain(recorder: Recorder, function: Any) -> Function:
    """Wrapper of a function that does not call itself."""
    is_due, note = recorder.schedule.is_due, recorder.note

    def recorded(*args: Any, **kwargs: Any) -> Any:
        if is_due(args, kwargs):
            with note(function, args, kwargs) as call:
                call.result = function(*args, **kwargs)
                return call.result
        return function(*args, **kwargs)

    return recorded


def before_coroutine(recorder: Recorder, function: Any) -> Function:
    """Wrapper of an `async def`, which is one itself, as frameworks ask for that."""
    is_due, note = recorder.schedule.is_due, recorder.note

    async def recorded(*args: Any, **kwargs: Any) -> Any:
        if is_due(args, kwargs):
            with note(function, args, kwargs) as call:
                call.result = await function(*args, **kwargs)
                return call.result
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
                with note(function, args, kwargs) as call:
                    call.result = function(*args, **kwargs)
                    return call.result
            return function(*args, **kwargs)
        finally:
            inside.discard(me)
            if me in backs:
                backs.pop(me)()

    name.wrapper = recorded
    return recorded


def names_in(code: CodeType) -> set[str]:
    """Names that a function's code and what is defined in it look up."""
    found = {*code.co_names, *code.co_freevars}
    for value in code.co_consts:
        if hasattr(value, "co_names"):
            found |= names_in(value)
    return found


# Sampling of the calls of a function that is called very often: all at first, then ever fewer, and large ones.

MIN_SAMPLED_CALLS = 1_000
"""Number of first calls that are all looked at."""
EACH_DOUBLING = 128
"""Calls that are kept of each further doubling of their number, about."""

MAX_UNSIZED_CALLS = 100
"""Number of calls without a known size after which the size is no longer asked for."""


class Schedule:
    """Read by the function's wrapper at each call, without a lock: a race costs one call more or less."""

    def __init__(self) -> None:
        self.left = 0
        """Calls that are passed on before one is looked at."""
        self.count = 0
        self.random = 12345
        self.measure: Callable[[Any], Any] | None = None
        """Measure of an argument's size: len, or None for a number, which is its own size."""
        self.position, self.name = 0, ""
        """Argument that has the size: a call gives it by position or by name."""
        self.top = UNKNOWN
        """A call beyond this size is always looked at."""
        self.failures = 0

    def is_due(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Return True if a call is to be looked at: it is its turn, or it is larger than all before."""
        self.left -= 1
        return self.left < 0 or (self.top >= 0 and self._size(args, kwargs) > self.top)

    def taken(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """A call is looked at: when is the next? Returns whether it is one of the largest."""
        if self.left < 0:
            gap = self._gap()
            self.count += gap
            self.left = gap - 1
        if self.top < 0 and self.failures < MAX_UNSIZED_CALLS:
            code = getattr(function, "__code__", None)
            names = code.co_varnames[: code.co_argcount] if code else ()
            self._learn(names, [*zip([*names, *[""] * len(args)], args), *kwargs.items()])
        size = self._size(args, kwargs) if self.top >= 0 else UNKNOWN
        if size <= self.top:
            return False
        self.top = size + size // 8
        return True

    def _gap(self) -> int:
        """Random, so that a period of the program's own does not hide a kind of call."""
        mean = (self.count - MIN_SAMPLED_CALLS) // EACH_DOUBLING
        if mean < 2:
            return 1
        self.random = (self.random * 1103515245 + 12345) % (1 << 31)
        return 1 + (self.random >> 8) % (2 * mean)

    def _learn(self, names: Sequence[str], given: Sequence[tuple[str, Any]]) -> None:
        """Find the argument that has a size: the first container or text, else the first number.

        names: of the parameters that may be given by position. given: arguments with their names, `*args` without.
        """
        sized = [at for at, (_, value) in enumerate(given) if type(value) in SIZED]
        whole = [at for at, (_, value) in enumerate(given) if type(value) is int]
        for at in (sized or whole)[:1]:
            self.name = given[at][0]
            elsewhere = sys.maxsize if self.name else at  # by its name alone, or an item of `*args`
            self.position = names.index(self.name) if self.name in names else elsewhere
            self.measure, self.top = (len if sized else None), 0

    def _size(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> int:
        """Return the size of a call: UNKNOWN if it has no such argument, or one of another kind."""
        try:
            value = args[self.position] if self.position < len(args) else kwargs[self.name]
            size = value if self.measure is None else self.measure(value)
        except (TypeError, LookupError):
            size = None
        if type(size) is int:
            return size
        self.failures += self.count > MIN_SAMPLED_CALLS
        if self.failures >= MAX_UNSIZED_CALLS:
            self.top = UNKNOWN
        return UNKNOWN


SIZED = (list, dict, set, frozenset, tuple, str, bytes, bytearray)
UNKNOWN = -1
"""Size of calls in which no argument has one."""


# Bypass of the wrapper in a deep recursion: the function's name then means the function itself.
#
# So the wrapper costs neither time nor stack depth.

MAX_CLASS_CHANGES = 300
"""Most changes of a class: Python gives up its caches of one that is changed a thousand times (3.12 and later)."""


class StandInPlace:
    """Place where code that calls a wrapper finds it: in its module, or in a class of that."""

    def __init__(self, function: Any, qualname: str) -> None:
        self.function, self.qualname = function, qualname
        self.wrapper: Any = None
        self.times = 0

    def step_aside(self) -> Callable[[], None] | None:
        """Put the function itself there; what puts its wrapper back. None where that is not to be done."""
        space: Any = getattr(innermost(self.function), "__globals__", {})
        *classes, name = self.qualname.split(".")
        owner: Any = None
        for part in classes:
            owner = space.get(part)
            if not isinstance(owner, type) or self.times >= MAX_CLASS_CHANGES:
                return None
            space = vars(owner)
        found = space.get(name)
        put = self._without(found)
        if put is None:
            return None
        self.times += 1
        _set(owner, space, name, put)

        def back() -> None:
            if (space if owner is None else vars(owner)).get(name) is put:
                _set(owner, space, name, found)

        return back

    def _without(self, found: Any) -> Any:
        """Attribute from before the wrapper was put in; None where the wrapper is not what was found."""
        if found is self.wrapper:
            return self.function
        if isinstance(found, (staticmethod, classmethod)) and found.__func__ is self.wrapper:
            return type(found)(self.function)
        if type(found) is property and found.fget is self.wrapper:
            return property(self.function, found.fset, found.fdel, found.__doc__)
        return None


def stack_is_deep() -> bool:
    """A quarter of Python's limit is used up."""
    try:
        sys._getframe(sys.getrecursionlimit() // 4)
    except ValueError:
        return False
    return True


def innermost(function: Any) -> Any:
    """Behind decorators that say what they wrap."""
    for _ in range(10):
        if not hasattr(function, "__wrapped__"):
            break
        function = function.__wrapped__
    return function


def _set(owner: Any, space: Any, name: str, value: Any) -> None:
    if owner is None:
        space[name] = value
    else:
        setattr(owner, name, value)
