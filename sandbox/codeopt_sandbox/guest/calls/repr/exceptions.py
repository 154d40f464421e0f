"""Data of an exception in addition to its text, as code that catches it can read it.

Texts may be worded in another way; numbers, keys and attributes are data. The interpreter's own exceptions say the same
thing in many ways (`x ** y` and `math.pow` overflow with other arguments).
"""

from __future__ import annotations

from .tree import Encoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BY_ITSELF = (ArithmeticError, OSError, UnicodeError, SyntaxError, ImportError, MemoryError, RecursionError)
TEXTS = ("message", "msg", "reason", "detail", "details", "text", "description", "hint")


def exception_trees(encoder: Encoder, error: BaseException) -> tuple[Any, Any]:
    """Trees of an exception's type with what is no text of its arguments and public attributes; and of these texts."""
    kind: Any = type(error)
    name = encoder.name_of(kind)
    if kind.__module__ == "builtins" and issubclass(kind, BY_ITSELF):
        return ("raises", name, []), ()
    given: tuple[Any, ...] = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    named = [("", value) for value in given if type(value) is not str or is_key(kind, value)]
    held: Any = getattr(error, "__dict__", None)
    state: dict[str, Any] = held if type(held) is dict else {}
    for key in sorted(state):
        value = state[key]
        told = type(value) is str and (key in TEXTS or value in given or any(map(str.isspace, value)))
        if not key.startswith("_") and not told:
            named.append((f"{key}=", value))
    parts: list[Any] = []
    for key, value in named:
        inner = encoder.another()
        tree = inner.tree(value)
        if not inner.opaque:
            encoder.floats = encoder.floats or inner.floats
            parts.append([key, tree])
    texts = [value for value in given if type(value) is str and not is_key(kind, value)]
    return ("raises", name, parts), (("=", texts) if texts else ())


def is_key(kind: type, text: str) -> bool:
    """A KeyError's text is the key, unless somebody wrote a sentence."""
    return kind is KeyError and not any(map(str.isspace, text))
