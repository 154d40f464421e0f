"""Dumps of cProfile: they know who calls whom and for how long, not stacks, which are worked out as gprof does it."""

from __future__ import annotations

from typing import Any, NamedTuple

from codeopt.report.stacks.marshal_values import MarshalReader
from codeopt.report.stacks.model import Frame, Stack, StackProfile

DEEPEST = 40
LEAST = 1e-3
"""Smallest share of all time that is followed further up."""

Place = tuple[str, int, str]
"""File, line and name, as cProfile keys its functions."""


class _Timed(NamedTuple):
    own_s: float
    callers: dict[Place, float]
    """Seconds that a caller spent in it and below."""


def read_pstats(name: str, data: bytes) -> StackProfile:
    """Return the stacks of a dump: a function's own time is divided among its callers by the time of each in it.

    Raises ValueError if it is not a dump of cProfile.
    """
    functions = _functions(MarshalReader(data).read())
    total = sum(each.own_s for each in functions.values()) or 1.0
    rows: list[tuple[Stack, float]] = []
    for place, function in functions.items():
        waiting: list[tuple[tuple[Place, ...], float]] = [((place,), function.own_s)]
        while waiting:
            stack, seconds = waiting.pop()
            callers = {each: spent for each, spent in functions[stack[0]].callers.items() if each not in stack}
            whole = sum(callers.values())
            if not whole or len(stack) >= DEEPEST or seconds < LEAST * total:
                rows.append((tuple(map(_frame, stack)), seconds))
                continue
            waiting += [((each, *stack), seconds * spent / whole) for each, spent in callers.items()]
    return StackProfile.of(name, "seconds", rows)


def _functions(found: Any) -> dict[Place, _Timed]:
    if not isinstance(found, dict):
        raise ValueError("it holds no table of functions")
    functions = {}
    for place, row in found.items():
        _check_place(place)
        if not isinstance(row, tuple) or len(row) != 5 or not isinstance(row[4], dict):
            raise ValueError("a row of its table is not cProfile's")
        functions[place] = _Timed(_seconds(row[2]), {caller: _spent(each) for caller, each in row[4].items()})
    return {
        place: each._replace(callers={caller: spent for caller, spent in each.callers.items() if caller in functions})
        for place, each in functions.items()
    }


def _check_place(place: Any) -> None:
    if not isinstance(place, tuple) or [type(each) for each in place] != [str, int, str]:
        raise ValueError("a function of its table has no file, line and name")


def _spent(row: Any) -> float:
    """Seconds below a caller; a caller that took no time at all counts a little, so that it is not lost."""
    if not isinstance(row, tuple) or len(row) != 4:
        raise ValueError("a caller in its table is not cProfile's")
    return max(_seconds(row[3]), 1e-12)


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < 1e12:
        raise ValueError("a time in its table is not a number")
    return float(value)


def _frame(place: Place) -> Frame:
    file, line, name = place
    return Frame(name, "" if file == "~" else file, line)
