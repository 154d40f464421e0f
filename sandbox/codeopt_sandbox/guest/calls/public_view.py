"""Public view of objects that keep private state: properties, and methods that take nothing or one thing that the call
was given. Versions that keep their state in another way are compared by it."""

from __future__ import annotations

import os
import types

from ..answer import NO_VIEW, NOTHING, Field
from .child import in_child
from .copies import copied, unlike_builtin
from .repr.arrays import is_labelled
from .repr.fields import text_field
from .repr.plain import is_simple
from .repr.shown import shown_text
from .repr.structure import held_dict, held_slots
from .repr.tree import Encoder, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .arguments import Call

MAX_OBJECTS = 3
"""Most arguments of a call that are looked at."""
MAX_RESULTS = 20
"""Most objects of a result that are looked at; more are not compared."""
MAX_PARTS = 500
"""Most parts of a result among which objects are sought."""
MAX_DEPTH = 4
"""Depth to which objects are sought in a result."""
MAX_ARGUMENTS = 3
"""Most values that a method is called with, one at a time."""
MAX_COPIED_BYTES = 60_000
"""Most bytes of the encoding of an object that is copied for each method."""
SHOWN = 400
"""Characters of all views that are shown."""
MAX_LOOK_S = 1.0
"""CPU time limit for looking at one call, seconds."""
MAX_WAIT_S = 10.0
"""The same for the time by the wall, which depends on what else the machine does."""
SPECIAL = ("__len__", "__bool__", "__str__", "__repr__", "__iter__")


class PublicViews:
    def __init__(self, target: str) -> None:
        self.target = target

    def of_arguments(self, call: Call) -> Field:
        """Public views of arguments that keep something private."""
        return self.look([each for each in (*call[0], *call[1].values()) if keeps_private(each)][:MAX_OBJECTS], call)

    def of_results(self, results: list[Any], call: Call) -> Field:
        """The same of what calls return; nothing where there are no such objects, or too many."""
        found = private_objects(results, [MAX_PARTS])
        return self.look(found if found is not None and len(found) <= MAX_RESULTS else [], call)

    def as_container(self, result: Any) -> list[Any]:
        """Operations in which a container of a class under test differs from its builtin type."""
        found = in_fork(lambda: unlike_builtin(result, self.target, self.encode))
        return [["operations", b"", NO_VIEW]] if found is None else found

    def encode(self, value: Any) -> tuple[bytes, str]:
        """Encoding and text of an answer, without what is private."""
        tree = Encoder(self.target).tree(value)
        return written(tree), shown_text(tree)

    def look(self, objects: list[Any], call: Call) -> Field:
        """Public views, made in a forked process, as a method may change the object, or hang."""
        if not objects:
            return NOTHING
        given = [*call[0], *call[1].values()]
        values = [value for value in given if is_simple(type(value)) and value is not None][:MAX_ARGUMENTS]
        found = in_fork(lambda: [each for value in objects for each in public_view(self.target, value, values)])
        if found is None:
            return text_field(NO_VIEW, value=NO_VIEW)
        words = ", ".join([f"{name} {shown}" for name, _, shown in found])
        return text_field(repr([each[:2] for each in found]) if found else "", shown=words[:SHOWN])


def in_fork(make: Callable[[], list[Any]]) -> list[Any] | None:
    """Plain values made twice in a child process; None where that takes too long, ends it, or they are not the same."""
    try:
        found, _ = in_child(lambda: silently(lambda: [make(), make()]), MAX_WAIT_S, MAX_LOOK_S)
    except (ValueError, EOFError):  # a method has ended the process
        return None
    return found[0] if found and found[0] == found[1] else None


def silently(make: Callable[[], Any]) -> Any:
    """Plain values, with output discarded: it would count for the next call."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    return make()


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


def public_view(target: str, value: Any, values: list[Any]) -> list[Any]:
    """[`first(1)`, encoding, text] of each member that is asked, of a copy, since a method may change it."""
    if len(Encoder(target).whole(value)) > MAX_COPIED_BYTES:
        return []
    found = []
    for name, member, given in members(type(value), values):
        answer = ask(target, value, member, given)
        if answer is not None:
            found.append([f"{name}{'(' + repr(given[0]) + ')' if given else ''}", *answer])
    return found


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


def ask(target: str, value: Any, member: Any, given: tuple[Any, ...]) -> tuple[bytes, str] | None:
    """Answer of a copy; None where the object cannot be copied or the answer has no encoding."""
    try:
        other = copied(value, target, {})
    except Exception:
        return None
    encoder = Encoder(target)
    try:
        tree = encoder.tree(member(other, *given))
    except RecursionError:
        return None
    except Exception as error:
        tree = ("raises", encoder.name_of(type(error)), [])
    return None if encoder.opaque else (written(tree), shown_text(tree))
