"""Calls with arguments of other types, for checks in a function's text: `raise TypeError`, `assert n >= 0`.

Only errors that such a line raises count, as its author intended them. All other effects of wrong types are accidents.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from codeopt.workloads.source.functions import Function, own_nodes
from codeopt.workloads.source.literals import Call, Opaque, read_all

BASES = 4
"""Number of known calls that are changed."""
MOST = 300
"""Maximum number of calls with an argument of a wrong type."""
VALUES: tuple[Any, ...] = (
    None, "a", "", 0, -1, 1, 2.5, float("nan"), True, [], [None], ["a", 1], (), {}, {"a": 1}, b"a", set(), 10**9,
    Opaque("load('builtins', 'object')()"), Opaque("load('builtins', 'len')"),
)  # fmt: skip


def refusals(function: Function) -> dict[int, int]:
    """The lines of a function's own `raise` and `assert` statements, each with that of its statement."""
    found: dict[int, int] = {}
    for each in own_nodes(function.node):
        if isinstance(each, ast.Assert) or (isinstance(each, ast.Raise) and each.exc is not None):
            found |= dict.fromkeys(range(each.lineno, (each.end_lineno or each.lineno) + 1), each.lineno)
    return found


def wrong_types(calls: Sequence[str]) -> list[str]:
    """The shortest calls of each number of arguments, with each argument as each of the values in turn."""
    known = sorted(read_all(calls), key=lambda call: len(call.text()))
    shapes: dict[int, Call] = {}
    for call in known:
        shapes.setdefault(len(call.values), call)
    bases = [*shapes.values()][:BASES]
    found = [base.with_value(at, value).text() for base in bases for at in range(len(base.values)) for value in VALUES]
    return list(dict.fromkeys(text for text in found if text not in set(calls)))[:MOST]
