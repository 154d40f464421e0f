"""Calls as text: in words, as expressions of constructors, those of a calls file, and what many are like."""

from __future__ import annotations

import types

from ..request import AS_RECORDED, IN_PARTS
from .answering import raised_at, text_of
from .arguments import as_call
from .channel import Said
from .mutation import mutable_parts
from .repr.source import (
    array_to_source,
    call_in_words,
    call_to_source,
    iterator_to_source,
    name_to_source,
    shape_of,
    to_source,
)
from .repr.structure import find, held, is_iterator, is_librarys, is_value, modules
from .repr.tree import Encoder, same, written
from .state import random_state, state_of, what_changed
from .worker import read

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType
    from typing import Any

    from ..request import CallBatch
    from .arguments import CallNamespace
    from .channel import Channel
    from .worker import CallWorker


def show_calls(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    for code in codes:
        text = call_in_words(*worker.arguments.fresh(code))
        channel.send(Said.TOOK, "0.0")
        channel.send(Said.TEXT, text)


def describe_calls(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Shapes of the arguments of all calls, a line for each: place or name, a tab, words; then of the results, named
    `->`. Each call is made."""
    found: dict[str, list[Any]] = {}
    results: list[Any] = []
    for code in codes:
        args, kwargs = worker.arguments.fresh(code)
        for name, value in [*((str(at), each) for at, each in enumerate(args)), *kwargs.items()]:
            found.setdefault(name, []).append(value)
    lines = []
    for name, values in found.items():
        some = f" (in {len(values):,} of {len(codes):,} calls)" if len(values) < len(codes) else ""
        lines.append(f"{name}\t{shape_of(values)}{some}")
    # most calls whose results are described; they are much the same
    for code in codes[:20]:
        args, kwargs = worker.arguments.fresh(code)
        try:
            results.append(read(worker.invoke(args, kwargs), False))
        except Exception:
            continue
    for line in [*lines, f"->\t{shape_of(results)}"]:
        channel.send(Said.TEXT, line)


def list_calls(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """The calls of the calls file, an empty line after those of CALLS: as expressions of plain values, any other by its
    place in the file; or why there are no calls."""
    # characters of all calls that are sent as expressions
    names, seen, left = worker.arguments.names, set(), 8_000_000
    places: dict[int, str] = {}
    try:
        for name in ("CALLS", "BIG"):
            for at, entry in enumerate(names.user_namespace().get(name, ())):
                text = call_to_source(*as_call(entry), plain_source) or constructed_source(names, *as_call(entry))
                # characters of a call that is sent as an expression; a longer one is named by its place in the file,
                # and what that draws at random is another in each run
                text = text if text and len(text) <= min(4_000_000, left) else None
                left -= len(text or "")
                key = text or certain_encoding(names.ref.module, *as_call(entry))
                if not key or (name, key) not in seen:  # never the same arguments twice in one process
                    channel.send(Said.TEXT, text or from_file(f"{name}[{at}]", places, *as_call(entry)))
                seen.add((name, key))
            if name == "CALLS":
                channel.send(Said.TEXT, "")
    except Exception as error:
        line = raised_at(error, "calls.py")
        channel.send(Said.FAILED, f"{f'line {line}: ' if line else ''}{type(error).__name__}: {text_of(error)}")


def constructed_source(names: CallNamespace, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """A call whose objects are made by their constructors, so that what is in them can be changed; None where these
    make something else."""
    writer = ConstructorWriter(names.ref.module)
    text = call_to_source(args, kwargs, lambda value: name_to_source(value) or writer.write(value))
    return text if text and makes(names, text, (tuple(args), dict(kwargs))) else None


def certain_encoding(target: str, args: Sequence[Any], kwargs: dict[str, Any]) -> bytes:
    """Encoding of arguments; empty where something in them is code, an iterator, or has no encoding."""
    encoder = Encoder(target)
    encoder.reads = False
    tree = [[encoder.tree(value) for value in args], [[name, encoder.tree(value)] for name, value in kwargs.items()]]
    private = encoder.private_tree()
    iterators = any(map(is_iterator, (*args, *kwargs.values())))
    return b"" if encoder.opaque or iterators else written([tree, private])


def from_file(place: str, places: dict[int, str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """`f(CALLS[3][0][0], 5)`: the others can be changed then. All of the call, `CALLS[3]`, if it is alone, where
    more than one argument has no expression, or where two of them share a part. places: of objects by their id, as an
    object of several calls is named by its first place."""
    given = {**{f"[0][{at}]": value for at, value in enumerate(args)}, **{f"[1][{k!r}]": kwargs[k] for k in kwargs}}
    alone = [where for where, value in given.items() if plain_source(value) is None]
    others = [value for where, value in given.items() if where not in alone]
    if len(alone) != 1 or not others or shares(given[alone[0]], others):
        return place
    first = places.setdefault(id(given[alone[0]]), place + alone[0])
    sources = {id(given[alone[0]]): first}
    return call_to_source(args, kwargs, lambda value: sources.get(id(value)) or plain_source(value)) or place


def shares(value: Any, others: Sequence[Any]) -> bool:
    """Whether a part that can be changed belongs to an object and to another argument; also where nobody can tell."""
    import copy

    copied: dict[int, Any] = {}
    try:
        copy.deepcopy(value, copied)
    except Exception:
        return True
    # depth to which an argument is looked into, as in `to_source`
    return any(part in copied for other in others for part, _ in mutable_parts(other, 60))


def plain_source(value: Any) -> str | None:
    """Source text of a value of plain types, with a name, of an array or an iterator; None for anything else."""
    return to_source(value) or name_to_source(value) or array_to_source(value) or iterator_to_source(value)


# Recorded objects as calls of their classes: `load('m', 'Bag')([load('m', 'Entry')('a')], version=2)`, where what
# such a call makes is what was recorded. Anyone can read such a call, change what is in it and make it smaller.

MAX_LEVELS = 30
"""Levels of objects and containers in each other; the parser takes some 200 brackets."""
MAX_STEPS = 8
"""Most method calls that are written behind a constructor's."""
NOTHING = object()


class ConstructorWriter:
    """Writes values whose objects are calls of their classes. target: name of the module under test."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.met: set[int] = set()
        """Objects that were met: one at two places, or within itself, is not the result of a call."""

    def write(self, value: Any, depth: int = MAX_LEVELS) -> str | None:
        """An expression that makes the value. None if no expression does."""
        return to_source(value, depth, self.object)

    def object(self, value: Any, depth: int) -> str | None:
        """A member of an enumeration, a class or function by its name, or a constructor's call."""
        named = name_to_source(value) or member_to_source(value) or array_to_source(value)
        if named is not None:
            return named
        # most objects within one argument
        if len(self.met) >= 1_000 or (id(value) in self.met and not is_value(type(value))):
            return None
        self.met.add(id(value))
        maker = name_to_source(type(value))
        given = constructor_arguments(value)
        return self.call(maker, *given, depth - 1) if maker is not None and given is not None else None

    def call(self, maker: str, args: Sequence[Any], kwargs: Mapping[str, Any], depth: int = MAX_LEVELS) -> str | None:
        """A call with these arguments."""
        return call_to_source(args, kwargs, lambda value: self.write(value, depth), maker)

    def history(self, kind: type, steps: Sequence[tuple[str, Sequence[Any], Mapping[str, Any]]]) -> str | None:
        """A constructor's call and the method calls after it."""
        maker = name_to_source(kind)
        if maker is None or len(steps) > MAX_STEPS + 1 or not all(name.isidentifier() for name, _, _ in steps):
            return None
        (_, args, kwargs), *later = steps
        made = self.call(maker, args, kwargs)
        done = [self.call(f"do.{name}", given, named) for name, given, named in later]
        parts = [part for part in (made, *done) if part is not None]
        if len(parts) < len(steps):
            return None
        return f"used({', '.join(parts)})" if later else parts[0]


def member_to_source(value: Any) -> str | None:
    """A member of an enumeration by its name; None for anything else."""
    kind: Any = type(value)
    name = getattr(value, "_name_", None)
    if not issubclass(kind, getattr(modules.get("enum"), "Enum", ())) or type(name) is not str:
        return None
    path = f"{kind.__qualname__}.{name}"
    return f"load({kind.__module__!r}, {path!r})" if find(kind.__module__, path) is value else None


def constructor_arguments(value: Any) -> tuple[list[Any], dict[str, Any]] | None:
    """Positional and named arguments that an object's constructor may have been given, as its attributes say; None
    where a required one is not among these. Required ones are given by position if they can be."""
    kind: Any = type(value)
    if issubclass(kind, tuple):
        fields = getattr(kind, "_fields", None)
        optional = getattr(kind, "_field_defaults", {})
        if type(fields) is not tuple or len(fields) != len(value):
            return None
        named = {name: part for name, part in zip(fields, value) if name in optional}
        return list(value)[: len(fields) - len(named)], named
    state = held(value)
    given_ones = state.get("__pydantic_fields_set__")
    if type(given_ones) is set:
        return [], {name: state[name] for name in state if name in given_ones}
    init = kind.__init__
    while hasattr(init, "__wrapped__"):
        init = init.__wrapped__
    if type(init) is not types.FunctionType or kind.__new__ is not object.__new__:
        return None
    return by_parameters(init, kind, state)


def by_parameters(
    init: types.FunctionType, kind: type, state: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]] | None:
    """The attributes that have the names of a constructor's parameters, as `constructor_arguments` gives them."""
    code = init.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    placed = names[: code.co_argcount - 1]
    defaults = {**dict(zip(reversed(placed), reversed(init.__defaults__ or ()))), **(init.__kwdefaults__ or {})}
    by_place = max(len([name for name in placed if name not in defaults]), code.co_posonlyargcount - 1)
    known = {name: attribute(name, kind, state) for name in names}
    if any(known[name] is NOTHING for name in names if name not in defaults or name in names[:by_place]):
        return None
    args = [known[name] for name in names[:by_place]]
    told = {}
    for name in names[by_place:]:
        if known[name] is NOTHING or (name in defaults and name.startswith("_")):
            continue
        # of many arguments that may be left out those are written that are not the default
        # parameters of a constructor up to which those are written that have their defaults, so that they can be
        # changed
        if name not in defaults or len(names) <= 8 or not same("", known[name], defaults[name]):
            told[name] = known[name]
    return args, told


def attribute(name: str, kind: type, state: Mapping[str, Any]) -> Any:
    """The attribute of a parameter's name, a private one if there is no public one; else NOTHING."""
    plain = name.lstrip("_")
    places = (name, f"_{plain}", f"_{kind.__name__}__{plain}")
    return next((state[place] for place in places if place in state), NOTHING)


def write_objects(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Say how the object of each call, `f(unpickle(...))`, is made: an expression of constructors; AS_RECORDED where
    its history does; else IN_PARTS and its class, if that is the project's."""
    names = worker.arguments.names
    names["unpickle"] = lambda text, history="": (text, history)
    for code in codes:
        before, random = state_of(worker.ref, worker.module), random_state()
        try:
            ((text, history),), _ = worker.arguments.fresh(code)
            recorded = names.read(text)
            answer = object_source(names, recorded, history)
        except Exception:  # the object cannot be made here; what needs it reports it
            recorded, answer = None, ""
        random_changed = random_state() != random
        left = what_changed(before, state_of(worker.ref, worker.module), random_changed=random_changed)
        channel.send(Said.TOOK, "0.0")
        channel.send(Said.TEXT, kept(recorded, names.ref.module) if left.changed else answer)


def object_source(names: CallNamespace, recorded: Any, history: str) -> str:
    """The answer about one recorded object."""
    target = names.ref.module
    by_fields = ConstructorWriter(target).write(recorded)
    if by_fields is not None and makes(names, by_fields, recorded):
        return by_fields
    if history:
        kind, steps = names.read(history)
        by_steps = ConstructorWriter(target).history(kind, [names.read(step) for step in steps])
        if by_steps is not None and makes(names, by_steps, recorded):
            return by_steps
        made = names.replay(history)
        if made is not None and same(target, vars(made), vars(recorded)):
            return AS_RECORDED
    return kept(recorded, target)


def makes(names: CallNamespace, source: str, recorded: Any) -> bool:
    """Whether an expression makes what was recorded: objects of the same classes with the same in them."""
    # characters of an argument: longer calls are not changed, so that a pickle serves as well
    if len(source) > 20_000:
        return False
    try:
        made = names.made(source)
    except Exception:
        return False
    return same(names.ref.module, made, recorded, surely=True)


def kept(recorded: Any, target: str) -> str:
    """IN_PARTS with the class of the first object of the project's."""
    kind = type(first_object(recorded, target))
    return IN_PARTS + ("" if is_librarys(kind, target) else kind.__qualname__)


def first_object(value: Any, target: str, depth: int = 4) -> Any:
    """The first object of the project's within lists and dictionaries; the value itself if it holds none."""
    if type(value) not in (list, tuple, dict) or not depth:
        return value
    parts = list(value.values()) if type(value) is dict else value
    found = (first_object(part, target, depth - 1) for part in parts)
    return next((each for each in found if not is_librarys(type(each), target)), value)
