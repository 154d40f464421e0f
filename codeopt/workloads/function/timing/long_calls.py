"""A long call, cut to a share of its arguments, on which pairs are timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codeopt.workloads._long_inputs import LONG_S, find_part, part_words
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.source.literals import Call, Constructed, Recipe, read

SHORT = 2
"""Length of a value that stays as it is."""


@dataclass(frozen=True)
class CallCut:
    """A part of a long call, and the whole."""

    whole: str
    share: float
    """Length of the part in relation to the whole."""
    seconds: float
    """Time of the original on the part, seconds."""
    whole_s: float
    """Time of the original on the whole, seconds."""

    @property
    def words(self) -> str:
        """`the first 5 % of the longest call (0.7 s of 15 s), in full once`."""
        return part_words(self.share, OF, self.seconds, self.whole_s)


OF = "the longest call"
"""Name of the whole in texts."""


def cut_call(whole: KnownCall, run: Callable[[str], KnownCall | None]) -> tuple[KnownCall, CallCut] | None:
    """Return a part of a call, with what the original does there. None if the call is short or cannot be cut.

    Args:
        whole: The call, made once.
        run: Makes a call with the original. None if it does not end as the whole does, or is not like known calls.
    """
    call = read(whole.text)
    if whole.seconds < LONG_S or call is None:
        return None

    def run_part(share: float) -> tuple[float, tuple[KnownCall, CallCut]] | None:
        part = first_part(call, share)
        found = run(part.text()) if part is not None else None
        if found is None:
            return None
        return found.seconds, (found, CallCut(whole.text, share, found.seconds, whole.seconds))

    return find_part(whole.seconds, run_part)


def first_part(call: Call, share: float) -> Call | None:
    """Return the call with the first share of all that is long in it; of numbers alone, of the largest one.

    None if nothing in it can be cut.
    """
    part = call
    for at, value in enumerate(call.values):
        part = part.with_value(at, _first(value, share))
    if part != call:
        return part
    numbers = [(value, at) for at, value in enumerate(call.values) if type(value) is int and value > 1]
    if not numbers:
        return None
    value, at = max(numbers)
    part = call.with_value(at, max(1, round(value * share)))
    return part if part != call else None


def _first(value: Any, share: float) -> Any:
    if isinstance(value, Recipe):
        return replace(value, size=max(1, round(value.size * share)))
    if isinstance(value, Constructed):
        for at, inside in enumerate(value.values):
            if isinstance(inside, list | Constructed):
                value = value.with_value(at, _first(inside, share))
        return value
    if not isinstance(value, list | str | bytes | dict | set | frozenset | tuple) or len(value) <= SHORT:
        return value
    count = max(1, round(len(value) * share))
    if isinstance(value, dict):
        return dict(list(value.items())[:count])
    if isinstance(value, set | frozenset):
        return type(value)(sorted(value, key=repr)[:count])
    record = isinstance(value, tuple) and len({type(item) for item in value}) > 1
    return value if record else value[:count]
