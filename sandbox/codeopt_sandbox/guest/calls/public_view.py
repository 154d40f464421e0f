"""Public view of objects that keep private state: properties, and methods that take nothing or one thing that the call
was given. Versions that keep their state in another way are compared by it."""

from __future__ import annotations

import os
import types

from .channel import os_exit, os_fork, waitpid
from .copies import copied, own_answers, unlike_builtin
from .repr.arrays import is_labelled
from .repr.canonical import CanonicalRepr
from .repr.plain import cut, is_simple
from .repr.private import ARGUMENTS, NOT_ASKED, SHOWS, became, without_private
from .repr.structure import held_dict, held_slots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .arguments import Call

MAX_OBJECTS = 3
"""Most arguments of a call that are looked at."""
MAX_RESULTS = 20
"""Most objects of a result that are looked at; of more nothing is said."""
MAX_PARTS = 500
"""Most parts of a result among which objects are sought."""
MAX_DEPTH = 4
"""Depth to which objects are sought in a result."""
MAX_ARGUMENTS = 3
"""Most values that a method is called with, one at a time."""
MAX_COPIED_CHARS = 20_000
"""Most characters of the text of an object that is copied for each method."""
FIRST_CALLS = 60
"""First calls of a pass, all of which are looked at; each look takes a process of its own."""
EVERY = 8
"""Number of later calls of which one is looked at."""
MAX_LOOK_S = 1.0
"""Time limit for looking at one call, seconds."""
SPECIAL = ("__len__", "__bool__", "__str__", "__repr__", "__iter__")


class PublicViews:
    """Public views of the objects of one pass's calls."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.numbers: dict[Any, int] = {}
        """Numbers of the calls that were begun."""
        self.looks = True
        """The call that was begun last is looked at."""

    def begin(self, code: Any) -> None:
        """Begin a call. In each version the same calls of a run are looked at, however often they are made."""
        number = self.numbers.setdefault(code, len(self.numbers))
        self.looks = number < FIRST_CALLS or number % EVERY == 0

    def of_arguments(self, fresh: Call, call: Call, before: str, after: str) -> str:
        """Public change of the arguments; `fresh`: the same ones, unchanged. A change that only the objects themselves
        can see is told apart."""
        text = became(before, after)
        if not text or text.startswith(ARGUMENTS):
            return text
        pairs = [*zip(fresh[0], call[0]), *((fresh[1][name], call[1][name]) for name in call[1])]
        kept = [pair for pair in pairs if keeps_private(pair[0]) or keeps_private(pair[1])][:MAX_OBJECTS]
        if kept and not self.looks:
            return text + NOT_ASKED
        old, new = (self.look([pair[at] for pair in kept], call) for at in (0, 1))
        return text if old == new else ARGUMENTS + cut(after) + SHOWS + new

    def of_result(self, call: Call, result: Any) -> str:
        """Public views of the objects that a call returned."""
        text = "" if is_simple(type(result)) else self.shown([result], call)
        return self.as_container(result) + text

    def shown(self, results: list[Any], call: Call) -> str:
        """The same of several results, as a part of an outcome; empty where there are no such objects, or too many."""
        found = private_objects(results, [MAX_PARTS])
        objects = found if found is not None and len(found) <= MAX_RESULTS else []
        if objects and not self.looks:
            return NOT_ASKED
        text = self.look(objects, call)
        return SHOWS + text if text else ""

    def as_container(self, result: Any) -> str:
        """Operations in which a container of a class under test differs from its builtin type."""
        if is_simple(type(result)) or not own_answers(result, self.target):
            return ""
        return in_fork(lambda: unlike_builtin(result, self.target, CanonicalRepr(self.target).show))

    def look(self, objects: list[Any], call: Call) -> str:
        """Public views, made in a forked process, as a method may change the object, or hang."""
        if not objects:
            return ""
        given = [*call[0], *call[1].values()]
        values = [value for value in given if is_simple(type(value)) and value is not None][:MAX_ARGUMENTS]
        return in_fork(lambda: "; ".join([public_view(self.target, value, values) for value in objects]))


def in_fork(make: Callable[[], str]) -> str:
    """A text made twice in a child process; empty where that takes too long, or it is not the same. What it says
    meanwhile is not heard: it would be taken for the next call's."""
    import signal

    reader, writer = os.pipe()
    pid = os_fork()
    if not pid:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, MAX_LOOK_S)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            text = make()
            data = cut(text).encode("utf-8", "surrogatepass") if make() == text else b""
            while data:
                data = data[os.write(writer, data) :]
        finally:
            os_exit(0)
    os.close(writer)
    found = b""
    while part := os.read(reader, 1 << 16):
        found += part
    os.close(reader)
    waitpid(pid, 0)
    return found.decode("utf-8", "surrogatepass")


def keeps_private(value: Any) -> bool:
    """An object of a class written in Python that has an attribute of its own alone, and is not known to us."""
    kind = type(value)
    if is_simple(kind) or issubclass(kind, (type, types.ModuleType, types.FunctionType)):
        return False
    state = {**(held_dict(value) or {}), **held_slots(value)}
    return any(type(name) is str and name.startswith("_") for name in state) and not is_labelled(value)


def private_objects(value: Any, left: list[int], depth: int = MAX_DEPTH) -> list[Any] | None:
    """Objects of a result that keep something private, in an order; None where it has too many parts.

    left: how many more parts may be looked at."""
    parts = public_parts(value) if depth and not is_simple(type(value)) else []
    left[0] -= len(parts)
    if left[0] < 0:
        return None
    found = [value] if keeps_private(value) else []
    for part in parts:
        inner = private_objects(part, left, depth - 1)
        if inner is None:
            return None
        found += [each for each in inner if not any(each is known for known in found)]
    return found


def public_parts(value: Any) -> list[Any]:
    """Items of a builtin container, and public attributes of an object; without those that have no parts."""
    kind = type(value)
    if kind is list or kind is tuple or kind is dict:  # a metaclass may say that its class equals these
        parts = value.values() if kind is dict else value
    elif issubclass(kind, (type, types.ModuleType, types.FunctionType)) or is_labelled(value):
        parts = ()
    else:
        state = {**(held_dict(value) or {}), **held_slots(value)}
        parts = [part for name, part in state.items() if type(name) is str and not name.startswith("_")]
    return [part for part in parts if not is_simple(type(part))]


def public_view(target: str, value: Any, values: list[Any]) -> str:
    """`len 2, first 1`: each asked of a copy, since a method may change it."""
    if len(CanonicalRepr(target).show(value)) > MAX_COPIED_CHARS:
        return ""
    parts = []
    for name, member, given in members(type(value), values):
        answer = ask(target, value, member, given)
        if answer:
            parts.append(f"{name}{'(' + repr(given[0]) + ')' if given else ''} {answer}")
    return ", ".join(parts)


def members(kind: type, values: list[Any]) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Public ones, and what the language asks for, with what they are given."""
    for name in sorted(dir(kind)):
        member = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if isinstance(member, property) and not name.startswith("_") and member.fget is not None:
            yield name, member.fget, ()
        elif type(member) is types.FunctionType and (name in SPECIAL or not name.startswith("_")):
            code = member.__code__
            needed = code.co_argcount - len(member.__defaults__ or ()) - 1
            if code.co_kwonlyargcount or code.co_flags & 0x80:  # a coroutine
                continue
            if needed == 0:
                yield name, member, ()
            elif needed == 1:
                for each in values:
                    yield name, member, (each,)


def ask(target: str, value: Any, member: Any, given: tuple[Any, ...]) -> str:
    """Answer of a copy; empty where the object cannot be copied or the answer has no text."""
    try:
        other = copied(value, target, {})
    except Exception:
        return ""
    shown = CanonicalRepr(target)
    try:
        text = shown.show(member(other, *given))
    except RecursionError:
        return ""
    except Exception as error:
        return "raises " + shown.name_of(type(error))[1:-1]
    return "" if shown.opaque else without_private(text)
