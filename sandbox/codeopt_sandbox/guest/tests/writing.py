"""Calls as expressions that make them again, with any arguments."""

from __future__ import annotations

from ..calls.repr.handles import pickled
from ..calls.repr.source import call_to_source, iterator_to_source, name_to_source, to_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


def write_call(
    args: Sequence[Any], kwargs: Mapping[str, Any], history: Callable[[Any], Sequence[bytes]] = lambda value: ()
) -> str | None:
    """Return the call as an expression, in which objects without one are pickled. None if that fails.

    `history` returns how an object was made and what was done with it, if that is known.
    """
    return call_to_source(args, kwargs, lambda value: write(value, history(value)))


def write(value: Any, steps: Sequence[bytes] = ()) -> str | None:
    """Return an expression for the value, which may unpickle it. None if neither is possible."""
    try:
        text = to_source(value) or name_to_source(value) or iterator_to_source(value)
        return text if text is not None else _pickled(value, steps)
    except Exception:
        return None


def _pickled(value: Any, steps: Sequence[bytes]) -> str | None:
    if hasattr(type(value), "__next__"):
        return None
    history = [pickled((type(value), list(steps)))] if steps else []
    return f"unpickle({', '.join(map(_base64, [pickled(value), *history]))})"


def _base64(data: bytes) -> str:
    import base64

    return repr(base64.b64encode(data).decode())
