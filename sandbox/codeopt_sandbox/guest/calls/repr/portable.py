"""Trees of literals and arrays as JSON, for a checker of the user's own that is to read them in another process."""

from __future__ import annotations

from binascii import b2a_base64

from .plain import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def portable(tree: Any) -> Any:
    """JSON of a tree, which guest/accept/values.py reads; None where it is more than literals and arrays."""
    try:
        return of_tree(tree)
    except (ValueError, RecursionError):
        return None


def of_tree(tree: Any) -> Any:
    """The same. Raises ValueError where it is more."""
    if type(tree) is not tuple:
        return of_plain(tree)
    tag, *parts = tree
    if tag == "=":
        return of_plain(parts[0])
    if tag in ("list", "tuple", "set", "frozenset"):
        return [tag, *[of_tree(part) for part in parts[0]]]
    if tag == "dict":
        return ["dict", *[[of_tree(key), of_tree(part)] for key, part in parts[0]]]
    if tag == "ndarray":
        return of_tree(parts[0])
    if tag == "array":
        return ["array", parts[0], list(parts[1]), base64(parts[2])]
    if tag == "scalar":
        return ["scalar", parts[0], of_plain(parts[1])]
    if tag == "object" and parts[0] == ("name", "array.array"):
        return ["array.array", *[of_tree(part) for part in parts[2]]]
    raise ValueError(tag)


def of_plain(value: Any) -> Any:
    """A plain value. Raises ValueError for anything else."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return ["int", number(value)]
    if kind is float:
        return ["float", repr(value)]
    if kind is complex:
        return ["complex", repr(value.real), repr(value.imag)]
    if kind is bytes:
        return ["bytes", base64(value)]
    if kind is list or kind is tuple:
        return [kind.__name__, *[of_plain(part) for part in value]]
    if kind is dict:
        return ["dict", *[[of_plain(key), of_plain(part)] for key, part in value.items()]]
    raise ValueError(kind.__name__)


def base64(data: bytes) -> str:
    return str(b2a_base64(data, newline=False), "ascii")
