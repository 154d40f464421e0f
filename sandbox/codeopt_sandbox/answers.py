"""Comparison of answers, call by call: the same, the same but for differences that a caveat tells, or another.

An answer is a line of text, `f(1) -> returns 2`, in which the guest shows values canonically (guest/calls/repr).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest

from codeopt_sandbox.caveat import Subject
from codeopt_sandbox.guest.calls.repr.private import (
    ARGUMENTS,
    COUNTED,
    EQUAL,
    GENERATOR,
    KEPT_UNCHANGED,
    NOT_ASKED,
    PRIVATE_ARGUMENTS,
    SHOWS,
    asked_alike,
    segments,
    without_private,
)
from codeopt_sandbox.guest.calls.scenarios import CLOSED, NO_SCENARIO
from codeopt_sandbox.tolerance import float_excess
from codeopt_sandbox.verdict import Checker

ARROW = " -> "
LAST_BITS = 1e-12
"""Relative: floats no further apart differ in how a sum of a few terms was associated."""
ULPS = 16
"""Allowed difference in units in the last place of the largest float of the call, where terms cancel each other."""
EPSILON = 2.0**-52
"""Relative difference that each further term of a sum may add: twice the unit roundoff, since both orders err (Higham,
Accuracy and Stability of Numerical Algorithms, 2002, section 4.2)."""
STATE = "state: "
MAY_CHANGE = "--may-change-arguments"
"""Flag by which a changed argument is no difference."""
_SHOWN = 160
_TOKENS = re.compile(
    r"""(b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")|([+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)(?=j?\b))"""
)
_EXACT = re.compile(
    r"""(b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*")|sha256 [0-9a-f]{64}(?= marks )| bytes [A-Za-z0-9+/]+=*(?=\))"""
)
"""Digest of a long array of floats of which also what is near is known, and the items of one where a checker gets them;
quoted texts stay as they are."""
_SET = re.compile(r"(?<=set\{)[^{}()\[\]'\"]+(?=\})")
_DIGITS = {"f4": 2.0**-23, "c8": 2.0**-23, "f2": 2.0**-10}
"""Relative difference between neighbours of the shorter floats of numpy."""
_SHORT_FLOATS = re.compile(r"(?<=[<>])(?:f2|f4|c8)(?=['\s])")
_GENERATED = f"returns {GENERATOR}<"
_NO_GENERATOR = "the same items by another iterator than a generator, which has no close, send and throw"
_PRIVATE_NAME = re.compile(r"(?<=[{ ])_\w*=")
_PRIVATE = "attributes that only the object itself looks at"
_CLOSED = "its objects keep something beside what a caller may change in them"
_OUTCOME = re.compile(r" -> (?=returns |raises |takes |ends |is not made|has no arguments)")


@dataclass(frozen=True)
class AnswerDifference:
    """A call whose answers are not the same text."""

    at: int
    """Number of the call in its batch; the state that all calls leave has the next one."""
    call: str
    expected: str
    got: str
    subject: Subject | None = None
    """Subject of a caveat that excuses the difference; None where nothing excuses it."""
    because: str = ""
    apart: float = 0.0
    """Largest relative difference between floats."""
    tolerance: float = 0.0
    """Allowed difference of floats, absolute or relative."""

    @property
    def lines(self) -> tuple[bytes, bytes]:
        """The call with each of its answers, as they are compared."""
        old, new = (f"{self.call}{ARROW}{text}".encode("utf-8", "surrogatepass") for text in (self.expected, self.got))
        return old, new

    @property
    def words(self) -> str:
        """`f(1): expected returns 2, got returns 3`, each cut to where they differ most."""
        texts = _inexact(self.expected), _inexact(self.got)
        was, now = (self.expected, self.got) if texts[0] == texts[1] else texts
        at, other = deciding(self.call, was, now, self.tolerance)
        old, new = around(was, now, at), around(now, was, other)
        return f"{_short(self.call) + ': ' if self.call else ''}expected {old}, got {new}{self._by_a_flag}"

    @property
    def _by_a_flag(self) -> str:
        """The flag by which the answers are equal, where they differ in what becomes of arguments alone."""
        alike = without_arguments(self.expected) == without_arguments(self.got)
        return f"; the results are equal: {MAY_CHANGE} accepts it" if alike else ""


def differences(
    expected: bytes, got: bytes, tolerance: float = 0.0, *, may_change: bool = False
) -> Iterator[AnswerDifference]:
    """Every call that answers another text, in order. Floats may differ by `tolerance`, absolute or relative.
    may_change: what becomes of arguments is left out."""
    if expected == got:
        return
    pairs = zip_longest(
        expected.decode("utf-8", "replace").split("\n"), got.decode("utf-8", "replace").split("\n"), fillvalue=""
    )
    for at, (line, other) in enumerate(pairs):
        if line == other:
            continue
        (call, wanted), (others, found) = _split(line), _split(other)  # a call is cut where it is long
        was, now = _by_value(wanted, found)
        if may_change and was != now:
            was, now = without_arguments(was), without_arguments(now)
            if now.endswith(NO_SCENARIO):  # the draft itself made of the arguments what the caller was to make
                continue
        texts = asked_alike(was, now)
        if call == others and (texts[0] == texts[1] or (tolerance and close(*texts, tolerance))):
            continue
        each = AnswerDifference(at, call, was, now, tolerance=tolerance)
        yield _excused_state(each) if was.startswith(STATE) else _excused(each)


def _by_value(wanted: str, found: str) -> tuple[str, str]:
    """Two outcomes without what equal arguments that are other objects do, where that is something else in the
    original, too: it says nothing then."""
    return (wanted.partition(EQUAL)[0], found.partition(EQUAL)[0]) if EQUAL in wanted else (wanted, found)


def without_arguments(text: str) -> str:
    """An outcome without what becomes of the arguments."""
    if ARGUMENTS not in text and PRIVATE_ARGUMENTS not in text:
        return text
    kept: list[str] = []
    dropped = False
    for part in segments(text):
        dropped = part.startswith((ARGUMENTS, PRIVATE_ARGUMENTS)) or (dropped and part.startswith(SHOWS))
        kept += [] if dropped else [part]
    return "".join(kept)


def check_calls(
    expected: bytes, got: bytes, tolerance: float = 0.0, *, exact: bool = False, may_change: bool = False
) -> str:
    """Describe the first call whose outcome differs and is not excused by a caveat; empty when there is none. exact:
    nothing is excused. may_change: what becomes of arguments is no difference."""
    told = differences(expected, got, tolerance, may_change=may_change)
    found = (each for each in told if exact or each.subject is None)
    first = next(found, None)
    return first.words if first else ""


def calls_checker(tolerance: float = 0.0, *, exact: bool = False, may_change: bool = False) -> Checker:
    """Checker that runs `check_calls`. A timed run gives the same answer each time, so an answer is compared once."""
    return lru_cache(maxsize=16)(
        lambda expected, got: check_calls(expected, got, tolerance, exact=exact, may_change=may_change)
    )


def _excused(found: AnswerDifference) -> AnswerDifference:
    """The difference with the subject of the caveat that excuses it, if any does."""
    was, now = _public(found.expected, found.got), _public(found.got, found.expected)
    if was == now:
        why = "the object that it gives out is one that it keeps" if KEPT_UNCHANGED in found.got else _PRIVATE
        excused = KEPT_UNCHANGED in found.got or _told_apart(found)
        return replace(found, subject=Subject.PRIVATE, because=why) if excused else found
    if was.startswith(_GENERATED) and was.replace(GENERATOR, "", 1) == now:
        return replace(found, subject=Subject.INTERFACE, because=_NO_GENERATOR)
    if found.got == CLOSED:
        return replace(found, subject=Subject.PRIVATE, because=_CLOSED)
    apart = last_bits(found.call, was, now)
    if apart is None:
        return found
    return replace(found, subject=Subject.FLOATS, because="the last bits of floats", apart=apart)


def _excused_state(found: AnswerDifference) -> AnswerDifference:
    """The difference in the state that calls leave, excused where it is only in what other modules keep for
    themselves."""
    was, now = (text.partition(COUNTED)[0] for text in (found.expected, found.got))
    because = "what other modules of the project count for themselves"
    return replace(found, subject=Subject.PRIVATE, because=because) if was == now else found


def _public(text: str, other: str) -> str:
    """The publicly visible part of an outcome; what objects show of themselves counts where both outcomes have it."""
    left_out = (PRIVATE_ARGUMENTS, KEPT_UNCHANGED, NOT_ASKED, *([] if SHOWS in other else [SHOWS]))
    return "".join(without_private(part) for part in segments(text) if not part.startswith(left_out))


def _told_apart(found: AnswerDifference) -> bool:
    """Whether it is known that others see no difference: both objects were asked, or what only one of them keeps is
    an addition. A call that is not asked is one of many, and some of the others were."""
    texts = (found.expected, found.got)
    if any(PRIVATE_ARGUMENTS in text for text in texts):
        return True
    if all(SHOWS in text or NOT_ASKED in text for text in texts):
        return True
    names = (set(_PRIVATE_NAME.findall(text)) for text in texts)
    return next(names) != next(names)


def last_bits(call: str, was: str, now: str) -> float | None:
    """Largest relative difference between the floats of two texts; None where anything else differs or a float is far
    off."""
    was, now = _inexact(was), _inexact(now)
    if _TOKENS.sub(_blank, was) != _TOKENS.sub(_blank, now):
        return None
    pairs = [
        (left[2], right[2]) for left, right in zip(_TOKENS.finditer(was), _TOKENS.finditer(now), strict=True)
        if left[2] != right[2]
    ]  # fmt: skip
    if not all(_is_float(text) for pair in pairs for text in pair):
        return None
    values = [(float(left), float(right)) for left, right in pairs]
    near = Nearness.of(call, was)
    if not all(near(left, right) for left, right in values):
        return None
    return max((abs(left - right) for left, right in values), default=0.0)


@dataclass(frozen=True)
class Nearness:
    """Says whether two floats of an answer differ in their last bits only."""

    relative: float
    absolute: float

    @staticmethod
    def of(call: str, answer: str) -> Nearness:
        """Limits by the floats of a call and its answer: each of them may be a term of a sum."""
        terms = _floats(call) + _floats(answer)
        largest = max(map(abs, terms), default=0.0)
        coarse = max((_DIGITS[kind] for kind in _SHORT_FLOATS.findall(answer)), default=0.0)
        if coarse:
            return Nearness(max(ULPS, len(terms)) * coarse, max(ULPS, len(terms)) * coarse * largest)
        return Nearness(max(LAST_BITS, EPSILON * len(terms)), max(ULPS, len(terms)) * math.ulp(largest))

    def __call__(self, left: float, right: float) -> bool:
        """NaN, infinity and the sign of a zero are exact."""
        if not (math.isfinite(left) and math.isfinite(right)) or left == right:
            return False
        return math.isclose(left, right, rel_tol=self.relative, abs_tol=self.absolute)


def deciding(call: str, text: str, other: str, tolerance: float = 0.0) -> tuple[int, int]:
    """Places in two answers of what decides that they differ: the float that is furthest from its counterpart, against
    the tolerance, or what stands there where the texts begin to differ in more than floats."""
    near = Nearness.of(call, text)
    worst, found = 0.0, None
    end = other_end = 0
    for left, right in zip(_TOKENS.finditer(text), _TOKENS.finditer(other), strict=False):
        if text[end : left.start()] != other[other_end : right.start()]:
            break
        far = _far(left, right, near, tolerance)
        if far == math.inf:
            return left.start(), right.start()
        if far > worst:
            worst, found = far, (left.start(), right.start())
        end, other_end = left.end(), right.end()
    common = _common(text[end:], other[other_end:])
    at_end = end + common == len(text) and other_end + common == len(other)
    return found if found and at_end else (end + common, other_end + common)


def _far(left: re.Match[str], right: re.Match[str], near: Nearness, tolerance: float) -> float:
    """Distance between two tokens in units of what is allowed; infinite where they are no floats, 0 where they are
    near."""
    if left[0] == right[0]:
        return 0.0
    if not (left[2] and right[2] and _is_float(left[2]) and _is_float(right[2])):
        return math.inf
    one, two = float(left[2]), float(right[2])
    if near(one, two):
        return 0.0
    far = float_excess(one, two, tolerance or near.relative)
    return far if far > 1 or not tolerance else 0.0


def _floats(text: str) -> list[float]:
    found = [match[2] for match in _TOKENS.finditer(text) if match[2] and _is_float(match[2])]
    return [value for value in map(float, found) if math.isfinite(value)]


def _split(line: str) -> tuple[str, str]:
    """(call, outcome): the outcome begins at the first arrow that is followed by a word of ours."""
    if line.startswith(STATE):
        return "", line
    match = _OUTCOME.search(line)
    return (line[: match.start()], line[match.end() :]) if match else ("", line)


def close(a: str, b: str, tolerance: float) -> bool:
    """Whether two texts are the same but for floats that differ by at most `tolerance`; integers must be the same."""
    a, b = _inexact(a), _inexact(b)
    if "set{" in a:
        a, b = _SET.sub(_by_size, a), _SET.sub(_by_size, b)
    if _TOKENS.sub(_blank, a) != _TOKENS.sub(_blank, b):
        return False
    left = [match[2] for match in _TOKENS.finditer(a) if match[2]]
    right = [match[2] for match in _TOKENS.finditer(b) if match[2]]
    return all(_close(x, y, tolerance) for x, y in zip(left, right, strict=True))


def _inexact(text: str) -> str:
    """A text without what is only equal where arrays are, bit by bit."""
    return _EXACT.sub(lambda match: match[1] or "", text) if "sha256 " in text else text


def _by_size(match: re.Match[str]) -> str:
    """The numbers of a set in order of their size, which last bits seldom change, where that of their texts may."""
    items = match[0].split(", ")
    numbers = all((found := _TOKENS.fullmatch(item)) and found[2] and "nan" not in item for item in items)
    return ", ".join(sorted(items, key=float)) if numbers else match[0]


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


def around(text: str, other: str, at: int | None = None) -> str:
    """A text, or what stands at a place of it; None: where it first differs from the other."""
    if len(text) <= _SHOWN:
        return text or "nothing"
    at = _common(text, other) if at is None else at
    start = max(0, at - 40)
    return f"{'...' * bool(start)}{text[start : start + 100]}... (from character {start})"


def _common(text: str, other: str) -> int:
    """Length of the beginning that two texts share, characters."""
    return next((at for at, (x, y) in enumerate(zip(text, other, strict=False)) if x != y), min(len(text), len(other)))
