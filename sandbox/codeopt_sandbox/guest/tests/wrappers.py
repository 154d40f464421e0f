"""Wrappers before a recorded function, which pass most of many calls on unseen."""

from __future__ import annotations

import _thread
import sys
import types
from time import perf_counter

from ..calls.repr.structure import pickled

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import CodeType
    from typing import Any, Protocol

    Function = Callable[..., Any]

    class Recorder(Protocol):
        """Interface of CallRecorder that the wrappers use."""

        qualname: str
        schedule: Schedule
        inside: set[int]

        def note(self, function: Any, args: Any, kwargs: Any) -> Any:
            """Write down a call before it is made; what is returned is entered meanwhile, has
            the arguments to make it with, and gets its `result`."""


def wrapper(recorder: Recorder, function: Any) -> Function:
    """The function with the recorder before it."""
    code: CodeType | None = getattr(innermost(function), "__code__", None)
    # bit of co_flags that marks `async def`, not a generator
    if code is not None and code.co_flags & 0x80:
        recorded = before_coroutine(recorder, function)
    elif code is not None and str(getattr(function, "__name__", "")) not in names_in(code):
        recorded = before_plain(recorder, function)
    else:
        recorded = before_recursive(recorder, function)
    return known_as(recorded, function)


def known_as(recorded: Any, function: Any) -> Function:
    """The wrapper, with the name and all else by which its function is known."""
    try:
        vars(recorded).update(vars(function))
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(recorded, name, getattr(function, name))
    except (AttributeError, TypeError):
        pass
    recorded.__wrapped__ = function
    return recorded  # type: ignore[no-any-return]


def before_plain(recorder: Recorder, function: Any) -> Function:
    """Wrapper of a function that does not call itself."""
    is_due, note = recorder.schedule.is_due, recorder.note

    def recorded(*args: Any, **kwargs: Any) -> Any:
        if is_due(args, kwargs):
            with note(function, args, kwargs) as call:
                call.result = function(*call.args, **call.kwargs)
                return call.result
        return function(*args, **kwargs)

    return recorded


def before_coroutine(recorder: Recorder, function: Any) -> Function:
    """Wrapper of an `async def`, which is one itself, as frameworks ask for that."""
    is_due, note = recorder.schedule.is_due, recorder.note

    async def recorded(*args: Any, **kwargs: Any) -> Any:
        if is_due(args, kwargs):
            with note(function, args, kwargs) as call:
                call.result = await function(*call.args, **call.kwargs)
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
            # calls within calls after which a wrapper steps aside
            if not nested % 50 and (not threads() or stack_is_deep()):
                back = name.step_aside()
                if back is not None:
                    backs[me] = back
            return function(*args, **kwargs)
        inside.add(me)
        try:
            if is_due(args, kwargs):
                with note(function, args, kwargs) as call:
                    call.result = function(*call.args, **call.kwargs)
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
            # calls that are kept of each further doubling of their number, about
            gap, mean = 1, (self.count - MIN_SAMPLED_CALLS) // 128
            if mean >= 2:  # random, so that a period of the program's own does not hide a kind of call
                self.random = (self.random * 1103515245 + 12345) % (1 << 31)
                gap += (self.random >> 8) % (2 * mean)
            self.count += gap
            self.left = gap - 1
        if self.top < 0 and self.failures < MAX_UNSIZED_CALLS:
            code = getattr(function, "__code__", None)
            names = code.co_varnames[: code.co_argcount] if code else ()
            given = [*zip([*names, *[""] * len(args)], args), *kwargs.items()]
            sized = [at for at, (_, value) in enumerate(given) if type(value) in SIZED]
            whole = [at for at, (_, value) in enumerate(given) if type(value) is int]
            for at in (sized or whole)[:1]:  # the first container or text has the size, else the first number
                self.name = given[at][0]
                elsewhere = sys.maxsize if self.name else at  # by its name alone, or an item of `*args`
                self.position = names.index(self.name) if self.name in names else elsewhere
                self.measure, self.top = (len if sized else None), 0
        size = self._size(args, kwargs) if self.top >= 0 else UNKNOWN
        if size <= self.top:
            return False
        self.top = size + size // 8
        return True

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
            # most changes of a class: Python gives up its caches of one that is changed a thousand times (3.12 and
            # later)
            if not isinstance(owner, type) or self.times >= 300:
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


# History of objects of a class: constructor arguments and method calls since. Replayed with another version of the
# class, it gives that version's own private state, such as an index.


MAX_CALLS = 2_000
"""Most calls that the history of a class looks at; then it is given up."""
MAX_STEPS = 500
CHANGING = frozenset(("__init__", "__setitem__", "__delitem__", "__call__", "__enter__", "__exit__", "__next__"))
"""Special methods that are known to change their object."""


class ObjectHistory:
    """The steps of one object, pickled before each was made."""

    def __init__(self, first: bytes) -> None:
        self.steps = [first]
        self.names = ["__init__"]
        self.size = len(first)
        self.before = 0
        """Hash of the object's state before the last step."""
        self.within = True
        """A step is being made: what its method calls itself is no step of its own."""

    def add(self, value: Any, name: str, step: bytes) -> bool:
        """Add a step and return True if there is room. A last step without a change is removed."""
        state = pickled(vars(value))
        if self.before == hash(state):
            self.size -= len(self.steps.pop())
            self.names.pop()
        self.before = hash(state)
        self.steps.append(step)
        self.names.append(name)
        self.size += len(step)
        # maximum size of one object's steps, in addition to four times the size of the object, bytes
        return len(self.steps) <= MAX_STEPS and self.size <= 20_000 + 4 * len(state)


class ClassHistory:
    """Stands before the methods of a class for as long as that costs little."""

    def __init__(self, kind: type, recorded: Iterable[str] = ()) -> None:
        """recorded: methods whose calls are written down. An object that one of them has changed has no history, as its
        effect is in question."""
        self.kind, self.recorded = kind, frozenset(recorded)
        self.histories: dict[int, ObjectHistory] = {}
        """Histories by identity of the object; a constructor begins a new one."""
        self.replaced: dict[str, tuple[Any, Any]] = {}
        """Replaced methods by name: the class's own attribute, and its wrapper."""
        self.spent, self.calls = 0.0, 0
        self.writing = False
        """An object's own code, by which it is pickled, may call its methods."""

    def watch(self) -> None:
        """Record from here on."""
        kind: Any = self.kind
        for name, function in methods(kind).items():
            new = self.before(name, function)
            self.replaced[name] = (vars(kind).get(name), new)
            setattr(kind, name, new)

    def before(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A method with the history before it."""

        def journaled(*args: Any, **kwargs: Any) -> Any:
            history = self.step(name, args, kwargs)
            if history is None:
                return function(*args, **kwargs)
            try:
                return function(*args, **kwargs)
            finally:
                history.within = False

        return known_as(journaled, function)

    def step(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ObjectHistory | None:
        """Record a call before it is made. None if it is not a step of the object itself."""
        if self.writing or not self.replaced or not args or type(args[0]) is not self.kind:
            return None
        history = self.histories.get(id(args[0]))
        if history.within if history is not None else name != "__init__":
            return None
        started, self.writing = perf_counter(), True
        try:
            return self.written(args[0], (name, args[1:], kwargs))
        except Exception:  # what cannot be pickled cannot be made again
            self.histories.pop(id(args[0]), None)
            return None
        finally:
            self.writing = False
            self.calls += 1
            self.spent += perf_counter() - started
            # time that the history of a class may take in all, seconds; then it is given up
            if self.spent > 0.1 or self.calls > MAX_CALLS:
                self.close()

    def written(self, value: Any, step: tuple[str, Sequence[Any], Mapping[str, Any]]) -> ObjectHistory | None:
        """The object's history with one more step; None where it becomes too long."""
        if step[0] == "__init__":
            history = self.histories[id(value)] = ObjectHistory(pickled(step))
            return history
        history = self.histories[id(value)]
        if not history.add(value, step[0], pickled(step)):
            del self.histories[id(value)]
            return None
        history.within = True
        return history

    def of(self, value: Any) -> list[bytes]:
        """The steps that led to an object as it is; none where they are not known."""
        history = self.histories.get(id(value)) if type(value) is self.kind else None
        if history is None:
            return []
        made = len(history.steps) - history.within
        return [] if self.recorded.intersection(history.names[:made]) else history.steps[:made]

    def close(self) -> None:
        """Give up: what is not seen is not known."""
        for name, (old, new) in self.replaced.items():
            if vars(self.kind).get(name) is new:
                if old is None:
                    delattr(self.kind, name)
                else:
                    setattr(self.kind, name, old)
        self.replaced.clear()
        self.histories.clear()


def classes_of(module: types.ModuleType) -> list[type]:
    """Classes of the module that make their objects in the usual way."""
    found = []
    for kind in dict.fromkeys(each for each in vars(module).values() if isinstance(each, type)):
        made: Any = kind.__new__
        usual = made is object.__new__ and type(kind).__name__ in ("type", "ABCMeta")
        if kind.__module__ == module.__name__ and usual and "__init__" in methods(kind):
            found.append(kind)
    # most classes of a module that are recorded
    return found[:20]


def methods(kind: type) -> dict[str, Any]:
    """Return methods that may change an object, with those of bases of the same module.

    Methods that call themselves are excluded, as recursions may be deep.
    """
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__[:-1]):
        if base.__module__ == kind.__module__:
            found.update(vars(base))
    return {name: each for name, each in found.items() if _may_change(name, each)}


def _may_change(name: str, value: Any) -> bool:
    if type(value) is not types.FunctionType or (name.startswith("__") and name not in CHANGING):
        return False
    code = getattr(innermost(value), "__code__", None)
    # bits of co_flags that mark generators, coroutines and asynchronous generators, whose work comes after the call
    if code is None or code.co_flags & (0x20 | 0x80 | 0x200):
        return False
    return name in CHANGING or name not in code.co_names
