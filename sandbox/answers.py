"""What calls answered, compared as lines of text: `f(1) -> returns 2`."""

from __future__ import annotations

import math
import re
from itertools import zip_longest

ARROW = " -> "
_SHOWN = 160
_TOKENS = re.compile(r"""(b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")|(-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)\b)""")


def check_calls(expected: bytes, got: bytes, tolerance: float = 0.0) -> str:
    """Empty when every call has the same outcome; else the first that has not. Floats may differ by `tolerance`,
    absolute
    or relative."""
    pairs = zip_longest(
        expected.decode("utf-8", "replace").split("\n"), got.decode("utf-8", "replace").split("\n"), fillvalue=""
    )
    for wanted, found in pairs:
        if wanted != found and not (tolerance and close(wanted, found, tolerance)):
            call, _, was = wanted.rpartition(ARROW) if wanted.startswith("state: ") else _split(wanted)
            _, _, now = _split(found)
            return f"{_short(call) + ': ' if call else ''}expected {_around(was, now)}, got {_around(now, was)}"
    return ""


def _split(line: str) -> tuple[str, str, str]:
    """(call, arrow, outcome): the outcome begins at the first arrow that is followed by a word of ours."""
    match = re.search(r" -> (?=returns |raises |takes |ends |is not made)", line)
    return (line[: match.start()], ARROW, line[match.end() :]) if match else ("", "", line)


def close(a: str, b: str, tolerance: float) -> bool:
    """Whether two texts are the same but for floats that differ by at most `tolerance`; integers must be the same."""
    if _TOKENS.sub(_blank, a) != _TOKENS.sub(_blank, b):
        return False
    left = [match[2] for match in _TOKENS.finditer(a) if match[2]]
    right = [match[2] for match in _TOKENS.finditer(b) if match[2]]
    return all(_close(x, y, tolerance) for x, y in zip(left, right, strict=True))


def _blank(match: re.Match[str]) -> str:
    return match[1] or "0"


def _close(a: str, b: str, tolerance: float) -> bool:
    if a == b:
        return True
    if not (_is_float(a) and _is_float(b)):
        return False
    return math.isclose(float(a), float(b), rel_tol=tolerance, abs_tol=tolerance)


def _is_float(text: str) -> bool:
    return any(mark in text for mark in (".", "e", "inf", "nan"))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 20]}... ({len(text)} characters)"


def _around(text: str, other: str) -> str:
    """A text, or what stands where it first differs from the other."""
    if len(text) <= _SHOWN:
        return text or "nothing"
    at = next((at for at, (x, y) in enumerate(zip(text, other, strict=False)) if x != y), min(len(text), len(other)))
    start = max(0, at - 40)
    return f"{'...' * bool(start)}{text[start : start + 100]}... (from character {start})"
