"""Public view of objects that keep private state: properties, and methods that take nothing or one thing that the
call was given. Versions that keep their state in another way are compared by it."""

from __future__ import annotations

import os
import types

from ..answer import NO_VIEW, NOTHING, Field
from .channel import in_child
from .outcome import text_field
from .repr.shown import shown_text
from .repr.special import is_labelled
from .repr.structure import held, held_dict, held_slots, is_librarys, is_simple, islice, librarys_base, mro_of, vars_of
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

    def twice() -> Any:
        null = os.open(os.devnull, os.O_WRONLY)  # what is printed would count for the next call
        os.dup2(null, 1)
        os.dup2(null, 2)
        return [make(), make()]

    try:
        found, _ = in_child(twice, MAX_WAIT_S, MAX_LOOK_S)
    except (ValueError, EOFError):  # a method has ended the process
        return None
    return found[0] if found and found[0] == found[1] else None


def keeps_private(value: Any) -> bool:
    """An object of a class written in Python that has an attribute of its own alone, and is not known to us."""
    kind = type(value)
    if is_simple(kind) or issubclass(kind, (type, types.ModuleType, types.FunctionType)):
        return False
    return any(type(name) is str and name.startswith("_") for name in held(value)) and not is_labelled(value)


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
        parts = [part for name, part in held(value).items() if type(name) is str and not name.startswith("_")]
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


# Copies of objects, made without running code of their classes, and answers of containers, numbers and texts that
# differ from those of their builtin base.

CONTAINERS = (list, dict, set)
VALUES = (tuple, frozenset, str, bytes, int, float)
MAX_ASKED_ITEMS = 20


def copied(value: Any, target: str, memo: dict[int, Any]) -> Any:
    """A deep copy. target: the module under test, whose classes are not asked."""
    kind: Any = type(value)
    if is_simple(kind):
        return value
    if id(value) in memo:
        return memo[id(value)]
    base = kind if kind in (*CONTAINERS, tuple) else librarys_base(kind, target)
    if kind is not base and is_librarys(kind, target) or base not in (object, *CONTAINERS, *VALUES):
        import copy

        return copy.deepcopy(value, memo)
    given: tuple[Any, ...] = ()  # what can only be given when an object is made
    if base in (tuple, frozenset):
        given = ([copied(part, target, memo) for part in base.__iter__(value)],)
    elif base in VALUES:
        given = base.__getnewargs__(value)
    new = memo[id(value)] = base.__new__(kind, *given)
    fill(new, value, base, lambda part: copied(part, target, memo))
    return new


def fill(new: Any, value: Any, base: Any, copy: Callable[[Any], Any]) -> None:
    """Items, attributes and slots."""
    if base is list:
        list.extend(new, [copy(part) for part in list.__iter__(value)])
    elif base is set:
        set.update(new, [copy(part) for part in set.__iter__(value)])
    elif base is dict:
        dict.update(new, [(copy(key), copy(part)) for key, part in dict.items(value)])
    state = held_dict(new)
    if state is not None:
        state.update({name: copy(part) for name, part in (held_dict(value) or {}).items()})
    slots = held_slots(value)
    for each in mro_of(type(value)) if slots else ():
        for name in slots.keys() & vars_of(each).keys():
            vars_of(each)[name].__set__(new, copy(slots[name]))


QUESTIONS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "__len__": lambda value, keys: len(value),
    "__bool__": lambda value, keys: bool(value),
    "__iter__": lambda value, keys: list(value),
    "__contains__": lambda value, keys: [key in value for key in keys],
    "__getitem__": lambda value, keys: [value[key] for key in keys],
    "get": lambda value, keys: [value.get(key) for key in keys],
    "keys": lambda value, keys: list(value.keys()),
    "values": lambda value, keys: list(value.values()),
    "items": lambda value, keys: list(value.items()),
    "index": lambda value, keys: [value.index(key) for key in keys],
    "count": lambda value, keys: [value.count(key) for key in keys],
    "__eq__": lambda value, keys: None,
}
"""Operations of a container that a class can override."""


def own_answers(value: Any, target: str) -> list[str]:
    """Overridden operations of a container; empty for any other object."""
    kind: Any = type(value)
    if is_simple(kind) or kind is list or kind is tuple or kind is dict or kind is set:
        return []
    base = librarys_base(kind, target)
    if base not in (*CONTAINERS, tuple) or base is kind:
        return []
    above = [each for each in mro_of(kind) if each is not object and not is_librarys(each, target)]
    return [name for name in QUESTIONS if any(name in vars_of(each) for each in above)]


def unlike_builtin(value: Any, target: str, encode: Callable[[Any], tuple[bytes, str]]) -> list[Any]:
    """Operations in which a container differs from its builtin base: [name, encoding, text] of each."""
    base = librarys_base(type(value), target)
    plain = base(dict.items(value) if base is dict else base.__iter__(value))
    keys = list(islice(range(len(plain)) if base in (list, tuple) else plain, MAX_ASKED_ITEMS))
    found = []
    for name in own_answers(value, target):
        asked = keys if name in ("__getitem__", "get") else list(islice(plain, MAX_ASKED_ITEMS))
        right = encode(QUESTIONS[name](plain, asked) if name != "__eq__" else True)
        try:
            said = encode(QUESTIONS[name](value, asked) if name != "__eq__" else value == plain)
        except Exception as error:
            said = type(error).__name__.encode("utf-8", "replace"), "raises " + type(error).__name__
        if said[0] != right[0]:
            found.append([name, *said])
    return found
