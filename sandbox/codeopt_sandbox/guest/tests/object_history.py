"""History of objects of a class: constructor arguments and method calls since. Replayed with another version of the
class, it gives that version's own private state, such as an index."""

from __future__ import annotations

import types
from time import perf_counter

from ..calls.repr.special import pickled
from .wrappers import innermost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

MAX_CLASSES = 20
"""Most classes of a module that are recorded."""
BUDGET_S = 0.1
"""Time that the history of a class may take in all, seconds; then it is given up."""
MAX_CALLS = 2_000
"""Most calls that the history of a class looks at; then it is given up."""
MAX_STEPS = 500
MAX_EXTRA_BYTES = 20_000
"""Maximum size of one object's steps, in addition to four times the size of the object, bytes."""
LATER = 0x20 | 0x80 | 0x200
"""Bits of co_flags that mark generators, coroutines and asynchronous generators, whose work comes after the call."""
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
        return len(self.steps) <= MAX_STEPS and self.size <= MAX_EXTRA_BYTES + 4 * len(state)


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

        for each in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(journaled, each, getattr(function, each))
        vars(journaled).update(vars(function), __wrapped__=function)
        return journaled

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
            if self.spent > BUDGET_S or self.calls > MAX_CALLS:
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
    found = dict.fromkeys(each for each in vars(module).values() if isinstance(each, type))
    return [kind for kind in found if kind.__module__ == module.__name__ and _is_usual(kind)][:MAX_CLASSES]


def _is_usual(kind: Any) -> bool:
    return kind.__new__ is object.__new__ and type(kind).__name__ in ("type", "ABCMeta") and "__init__" in methods(kind)


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
    return code is not None and not code.co_flags & LATER and (name in CHANGING or name not in code.co_names)
