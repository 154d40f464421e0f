"""Question to a user's own checker; shared with the host."""

from __future__ import annotations

from ..record import Record

NO_LITERAL = "the call or an answer cannot be handed to the checker: it is no literal and no array, or too long"
"""Reason of refusal for answers that are objects, and for texts that are cut."""


class OutputsRequest(Record):
    """A checker of programs, and the outputs that it is asked about."""

    source: str
    file: str
    """Name of its file, for tracebacks."""
    accept: str
    """Name of its function, which takes (input, expected, got)."""
    asked: tuple[tuple[object, str, str], ...]
    """Input, expected output and printed output.

    The input is standard input as a text. If a program has more, it is a dict with `stdin`, `args` and `files`.
    """


class AcceptRequest(Record):
    """A checker, and the answers that it is asked about."""

    source: str
    file: str
    """Name of its file, for tracebacks."""
    accept: str
    """Name of its function, which takes (arguments by name, expected, got)."""
    names: tuple[str, ...]
    """Positional parameters of the function that was called."""
    asked: tuple[tuple[str, object, object], ...]
    """A call as an expression, what is expected and what is returned, each as JSON of a value."""
