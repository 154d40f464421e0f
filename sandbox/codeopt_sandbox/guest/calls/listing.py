"""Calls as text: in words, those of a calls file, and what many of them are like."""

from __future__ import annotations

from .answering import raised_at, text_of
from .arguments import as_call
from .channel import FAILED, TEXT, TOOK
from .constructed import ConstructorWriter, makes
from .mutation import mutable_parts
from .repr.call_repr import call_in_words
from .repr.plain import is_iterator
from .repr.shape import shape_of
from .repr.source import array_to_source, call_to_source, iterator_to_source, name_to_source, to_source
from .repr.tree import Encoder, written
from .stage import read

MOST_CHARS = 4_000_000
"""Characters of a call that is sent as an expression; a longer one is named by its place in the file, and what that
draws at random is another in each run."""
MOST_CHARS_OF_ALL = 8_000_000
"""Characters of all calls that are sent as expressions."""
MAX_DEPTH = 60
"""Depth to which an argument is looked into, as in `to_source`."""
MAX_DESCRIBED_CALLS = 20
"""Most calls whose results are described; they are much the same."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Arguments, CallNamespace
    from .channel import Channel
    from .worker import CallWorker


def show_calls(arguments: Arguments, codes: Sequence[CodeType], channel: Channel) -> None:
    for code in codes:
        text = call_in_words(*arguments.fresh(code))
        channel.send(TOOK, "0.0")
        channel.send(TEXT, text)


def describe_calls(worker: CallWorker, codes: Sequence[CodeType], channel: Channel) -> None:
    """Shapes of the arguments of all calls, a line for each: place or name, a tab, words; then of the results, named
    `->`. Each call is made."""
    found: dict[str, list[Any]] = {}
    results: list[Any] = []
    for code in codes:
        args, kwargs = worker.arguments.fresh(code)
        for name, value in [*((str(at), each) for at, each in enumerate(args)), *kwargs.items()]:
            found.setdefault(name, []).append(value)
    lines = [f"{name}\t{shape_of(values)}{some_of(values, codes)}" for name, values in found.items()]
    for code in codes[:MAX_DESCRIBED_CALLS]:
        args, kwargs = worker.arguments.fresh(code)
        try:
            results.append(read(worker.invoke(args, kwargs), False))
        except Exception:
            continue
    for line in [*lines, f"->\t{shape_of(results)}"]:
        channel.send(TEXT, line)


def some_of(values: Sequence[Any], codes: Sequence[CodeType]) -> str:
    """Share of the calls that give an argument, if not every one does."""
    return f" (in {len(values):,} of {len(codes):,} calls)" if len(values) < len(codes) else ""


def list_calls(names: CallNamespace, channel: Channel) -> None:
    """The calls of the calls file: as expressions of plain values, any other by its place in the file; or why there are
    no calls."""
    try:
        send_calls(names, channel)
    except Exception as error:
        line = raised_at(error, "calls.py")
        channel.send(FAILED, f"{f'line {line}: ' if line else ''}{type(error).__name__}: {text_of(error)}")


def send_calls(names: CallNamespace, channel: Channel) -> None:
    """Each call, an empty line after those of CALLS."""
    seen, left = set(), MOST_CHARS_OF_ALL
    places: dict[int, str] = {}
    for name in ("CALLS", "BIG"):
        for at, entry in enumerate(names.user_namespace().get(name, ())):
            text = call_to_source(*as_call(entry), plain_source) or constructed_source(names, *as_call(entry))
            text = text if text and len(text) <= min(MOST_CHARS, left) else None
            left -= len(text or "")
            key = text or certain_encoding(names.ref.module, *as_call(entry))
            if not key or (name, key) not in seen:  # never the same arguments twice in one process
                channel.send(TEXT, text or from_file(f"{name}[{at}]", places, *as_call(entry)))
            seen.add((name, key))
        if name == "CALLS":
            channel.send(TEXT, "")


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
    return any(part in copied for other in others for part, _ in mutable_parts(other, MAX_DEPTH))


def plain_source(value: Any) -> str | None:
    """Source text of a value of plain types, with a name, of an array or an iterator; None for anything else."""
    return to_source(value) or name_to_source(value) or array_to_source(value) or iterator_to_source(value)
