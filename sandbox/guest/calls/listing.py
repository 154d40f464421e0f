"""Calls as text, none of which is made: in words, and those of a calls file."""

from __future__ import annotations

from .arguments import as_call
from .channel import FINISHED, TEXT, TOOK
from .repr.call_repr import call_in_words
from .repr.canonical import CanonicalRepr
from .repr.plain import NOT_COMPARABLE
from .repr.source import call_to_source, name_to_source, to_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

    from .arguments import Arguments, Names
    from .channel import Channel


def show_calls(arguments: Arguments, codes: Sequence[CodeType], channel: Channel) -> None:
    """Each call in words."""
    for code in codes:
        text = call_in_words(*arguments.fresh(code))
        channel.send(TOOK, "0.0")
        channel.send(TEXT, text)


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
