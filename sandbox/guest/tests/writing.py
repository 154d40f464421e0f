"""Calls as expressions that make them again, whatever their arguments are."""

from __future__ import annotations

from ..calls.repr.handles import pickled
from ..calls.repr.source import call_to_source, name_to_source, to_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def write_call(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """The call as an expression; objects that have none are pickled; None when that fails."""
    return call_to_source(args, kwargs, write)


def write(value: Any) -> str | None:
    """As an expression, which may unpickle it; None where there is none."""
    try:
        text = to_source(value) or name_to_source(value)
        return text if text is not None else _pickled(value)
    except Exception:
        return None


def _pickled(value: Any) -> str | None:
    import base64

    if hasattr(type(value), "__next__"):
        return None
    return f"unpickle({base64.b64encode(pickled(value)).decode()!r})"
