"""Values as JSON, without `json`: that package takes longer to import than a run of calls should."""

from __future__ import annotations

from _json import encode_basestring_ascii as quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def to_json(value: Any) -> str:
    """JSON text of plain values; a tuple becomes a list. Raises TypeError for anything else."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is int or kind is float:
        return repr(value)
    if kind is list or kind is tuple:
        return "[" + ", ".join([to_json(item) for item in value]) + "]"
    if kind is dict:
        return "{" + ", ".join([quote(name) + ": " + to_json(item) for name, item in value.items()]) + "}"
    raise TypeError(f"no JSON for {kind.__name__}")
