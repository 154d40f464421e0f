"""Calls as people read them, if their arguments have no literal.

What an object's own __repr__ says is data of the code under test; the host cuts and escapes it.
"""

from __future__ import annotations

from .plain import is_simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MAX_CHARS = 100
"""Most characters of a text."""
MAX_ITEMS = 20
"""Most items of a container that are shown."""


def in_words(value: Any, depth: int = 3) -> str:
    """Repr of a value on one line, cut; attributes for an object without a repr, and never an address. A value that
    only looks like a number is marked: `Integer(4)`."""
    kind: Any = type(value)
    text = items_in_words(value, depth) if depth else ""
    if not text and kind.__repr__ is not object.__repr__:
        try:
            text = repr(value)
        except Exception:
            text = ""
    if not text:
        state = getattr(value, "__dict__", None)
        parts = [f" {name}={in_words(part)}" for name, part in state.items()] if type(state) is dict else []
        text = f"<{kind.__qualname__}{','.join(parts[:8])}>"
    elif not is_simple(kind) and kind.__name__ not in text and kind.__module__ != "builtins":
        text = f"{kind.__qualname__}({text})" if is_literal(text) else f"<{kind.__qualname__} {text}>"
    head, *rest = text.split(" at 0x")
    text = " ".join("".join([head, *[part.lstrip("0123456789abcdef") for part in rest]]).split())
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}... ({len(text)} characters)"


def items_in_words(value: Any, depth: int) -> str:
    """Text of a non-empty container whose type its own repr may not tell; empty for any other."""
    kind: Any = type(value)
    if kind not in (list, tuple, dict) or not value or len(value) > MAX_ITEMS:
        return ""
    parts = [*value, *value.values()] if kind is dict else value
    if all(is_simple(type(part)) for part in parts):
        return ""
    if kind is dict:
        pairs = [f"{in_words(key, depth - 1)}: {in_words(item, depth - 1)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    inner = ", ".join([in_words(item, depth - 1) for item in value])
    return f"[{inner}]" if kind is list else f"({inner}{',' * (len(value) == 1)})"


def is_literal(text: str) -> bool:
    """Whether it may be taken for a plain number or text."""
    return len(text) < 40 and (text[0] in "'\"-" or text[0].isdigit()) and " " not in text


def call_in_words(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """`f(<Graph with 3 nodes>, 2)`."""
    parts = [in_words(value) for value in args] + [f"{name}={in_words(value)}" for name, value in kwargs.items()]
    return "f(" + ", ".join(parts) + ")"
