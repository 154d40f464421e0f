"""Outputs of programs compared number by number, also inside what Python and JSON print for lists and mappings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

_INT = re.compile(rb"([+-]?)0*(\d*)")
_NUMBER = re.compile(rb"""(?<![\w.'"])[+-]?(?:\d+\.\d*|\.\d+|\d+|(?i:nan|inf(?:inity)?))(?:[eE][+-]?\d+)?(?![\w.'"])""")


def excess(expected: bytes, got: bytes, tolerance: float) -> float:
    """Largest difference between the numbers of two tokens, in units of the tolerance: up to 1 is allowed; infinite
    where anything but a float differs."""
    if expected == got:
        return 0.0
    if _number(expected) is not None and _number(got) is not None:
        return _apart(expected, got, tolerance)
    if not expected or not got or _NUMBER.sub(b"0", expected) != _NUMBER.sub(b"0", got):
        return math.inf
    return max((_apart(a, b, tolerance) for a, b in number_pairs(expected, got)), default=math.inf)


def number_pairs(expected: bytes, got: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield pairs of numbers from two tokens that differ only in numbers."""
    return zip(_NUMBER.findall(expected), _NUMBER.findall(got), strict=False)  # `1_0` is a number to float alone


def same_shape(expected: bytes, got: bytes) -> bool:
    """Return True if two tokens differ only in numbers and contain some."""
    blank = _NUMBER.sub(b"0", expected)
    return blank == _NUMBER.sub(b"0", got) and bool(_NUMBER.search(expected))


def _apart(expected: bytes, got: bytes, tolerance: float) -> float:
    if expected == got:
        return 0.0
    whole, other = _INT.fullmatch(expected), _INT.fullmatch(got)
    if whole and other:
        return 0.0 if _whole(whole) == _whole(other) else math.inf
    return float_excess(float(expected), float(got), tolerance)


def float_excess(x: float, y: float, tolerance: float) -> float:
    """Difference between two floats in units of the tolerance, which is absolute or relative, as `math.isclose` has
    it."""
    if x == y:
        return 0.0
    if not (math.isfinite(x) and math.isfinite(y)):
        return math.inf
    if math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance):
        return min(1.0, abs(x - y) / tolerance)
    return max(1.0 + 1e-9, abs(x - y) / tolerance / max(1.0, abs(x), abs(y)))


def _whole(found: re.Match[bytes]) -> tuple[bool, bytes]:
    """Sign and digits of an int of any length; zero has no sign."""
    return found[1] == b"-" and bool(found[2]), found[2]


def _number(token: bytes) -> float | None:
    try:
        return float(token)
    except ValueError:
        return None
