"""Calls as people read them, where their arguments have no literal.

What an object's own __repr__ says is data of the code under test; the host cuts and escapes it.
"""

from __future__ import annotations

from .plain import SIMPLE_IDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MOST_WORDS = 100


def in_words(value: Any) -> str:
    """Its repr on one line, cut; of an object that has none its attributes, and never an address."""
    kind: Any = type(value)
    text = ""
    if kind.__repr__ is not object.__repr__:
        try:
            text = repr(value)
        except Exception:
            text = ""
    if not text:
        state = getattr(value, "__dict__", None)
        parts = [f" {name}={in_words(part)}" for name, part in state.items()] if type(state) is dict else []
        text = f"<{kind.__qualname__}{','.join(parts[:8])}>"
    elif id(kind) not in SIMPLE_IDS and kind.__name__ not in text and kind.__module__ != "builtins":
        text = f"<{kind.__qualname__} {text}>"
    head, *rest = text.split(" at 0x")
    text = " ".join("".join([head, *[part.lstrip("0123456789abcdef") for part in rest]]).split())
    return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]}... ({len(text)} characters)"


def call_in_words(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """`f(<Graph with 3 nodes>, 2)`."""
    parts = [in_words(value) for value in args] + [f"{name}={in_words(value)}" for name, value in kwargs.items()]
    return "f(" + ", ".join(parts) + ")"
