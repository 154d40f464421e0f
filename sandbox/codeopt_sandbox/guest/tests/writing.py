"""Calls as expressions that make them again, whatever their arguments are."""

from __future__ import annotations

from ..calls.repr.handles import pickled
from ..calls.repr.source import call_to_source, name_to_source, to_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


def write_call(
    args: Sequence[Any], kwargs: Mapping[str, Any], history: Callable[[Any], Sequence[bytes]] = lambda value: ()
) -> str | None:
    """The call as an expression; objects that have none are pickled; None when that fails.

    history: what an object was made with and asked since, where that is known.
    """
    return call_to_source(args, kwargs, lambda value: write(value, history(value)))


def write(value: Any, steps: Sequence[bytes] = ()) -> str | None:
    """Expression that gives the value, which may unpickle it; None where there is none."""
    try:
        text = to_source(value) or name_to_source(value)
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
