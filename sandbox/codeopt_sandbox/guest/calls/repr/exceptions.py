"""Data of an exception beside its text, as code that catches it can read it.

Texts may be worded in another way; numbers, keys and attributes are data. The interpreter's own exceptions say the same
thing in many ways (`x ** y` and `math.pow` overflow with other arguments).
"""

from __future__ import annotations

from .canonical import CanonicalRepr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BY_ITSELF = (ArithmeticError, OSError, UnicodeError, SyntaxError, ImportError, MemoryError, RecursionError)
TEXTS = ("message", "msg", "reason", "detail", "details", "text", "description", "hint")


def held_by(target: str, error: BaseException) -> str:
    """`(3, at=3)`: what is no text of its arguments and public attributes; empty for nothing."""
    kind: Any = type(error)
    if kind.__module__ == "builtins" and issubclass(kind, BY_ITSELF):
        return ""
    given: tuple[Any, ...] = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    named = [("", value) for value in given if type(value) is not str or is_key(kind, value)]
    held: Any = getattr(error, "__dict__", None)
    state: dict[str, Any] = held if type(held) is dict else {}
    for name in sorted(state):
        value = state[name]
        told = type(value) is str and (name in TEXTS or value in given or any(map(str.isspace, value)))
        if not name.startswith("_") and not told:
            named.append((f"{name}=", value))
    parts = []
    for name, value in named:
        shown = CanonicalRepr(target)
        text = shown.show(value)
        if not shown.opaque:
            parts.append(name + text)
    return f"({', '.join(parts)})" if parts else ""


def is_key(kind: type, text: str) -> bool:
    """A KeyError's text is the key, unless somebody wrote a sentence."""
    return kind is KeyError and not any(map(str.isspace, text))
