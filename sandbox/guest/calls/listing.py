"""Calls as text: in words, those of a calls file, and what many of them are like."""

from __future__ import annotations

from .arguments import as_call
from .channel import FINISHED, TEXT, TOOK
from .repr.call_repr import call_in_words
from .repr.canonical import CanonicalRepr
from .repr.plain import NOT_COMPARABLE
from .repr.shape import shape_of
from .repr.source import call_to_source, name_to_source, to_source
from .timing import read

MADE = 20
"""Of the calls that are described; their results are much alike."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Arguments, Names
    from .channel import Channel
    from .worker import CallWorker


def show_calls(arguments: Arguments, codes: Sequence[CodeType], channel: Channel) -> None:
    """Each call in words."""
    for code in codes:
        text = call_in_words(*arguments.fresh(code))
        channel.send(TOOK, "0.0")
        channel.send(TEXT, text)


def describe_calls(worker: CallWorker, codes: Sequence[CodeType], channel: Channel) -> None:
    """What the arguments of all calls are like, a line for each: its place or name, a tab, words; then the results,
    named `->`. Each call is made."""
    found: dict[str, list[Any]] = {}
    results: list[Any] = []
    for code in codes:
        args, kwargs = worker.arguments.fresh(code)
        for name, value in [*((str(at), each) for at, each in enumerate(args)), *kwargs.items()]:
            found.setdefault(name, []).append(value)
    lines = [f"{name}\t{shape_of(values)}{some_of(values, codes)}" for name, values in found.items()]
    for code in codes[:MADE]:
        args, kwargs = worker.arguments.fresh(code)
        try:
            results.append(read(worker.invoke(args, kwargs), False))
        except Exception:
            continue
    for line in [*lines, f"->\t{shape_of(results)}"]:
        channel.send(TEXT, line)


def some_of(values: Sequence[Any], codes: Sequence[CodeType]) -> str:
    """Of an argument that not every call gives, in how many."""
    return f" (in {len(values):,} of {len(codes):,} calls)" if len(values) < len(codes) else ""


def list_calls(names: Names, channel: Channel) -> None:
    """The calls of the calls file: as expressions of plain values, else by their place in it."""
    seen = set()
    for name in ("CALLS", "BIG"):
        for at, entry in enumerate(names.user_namespace().get(name, ())):
            text = call_to_source(*as_call(entry), plain_source)
            shown = text or CanonicalRepr(names.ref.module).show_arguments(*as_call(entry))
            certain = text or not any(mark in shown for mark in ("<code>", "<iterator>", NOT_COMPARABLE))
            if not certain or (name, shown) not in seen:  # never the same arguments twice in one process
                channel.send(TEXT, text or f"{name}[{at}]")
            seen.add((name, shown))
        if name == "CALLS":
            channel.send(TEXT, "")
    channel.send(FINISHED)


def plain_source(value: Any) -> str | None:
    """Of plain types and of what has a name; None for anything else, or what is shared with another."""
    return to_source(value) or name_to_source(value)
