"""Drafts that ask for exact types, or rely on them: right for all known calls, with a caveat about the others."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.report.verdict import why
from tests.codeopt.workloads.conftest import Judges

pytestmark = pytest.mark.full

PLAIN = """\
from typing import Any
def f(x: Any) -> Any:
    if isinstance(x, dict):
        return {key: f(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [f(item) for item in x]
    return x if isinstance(x, (str, int, float)) else repr(x)
"""
PLAIN_BY_TYPE = """\
def f(x):
    kind = type(x)
    if kind in (str, int, float, bool):
        return x
    if kind is dict:
        return {key: f(value) for key, value in x.items()}
    return [f(item) for item in x] if kind in (list, tuple) else repr(x)
"""
NESTED = """\
CALLS = [(({"a": n, "b": ["x", 2.5, None], "c": {"d": n}},), {}) for n in range(9)] + [((3,), {}), (("a",), {})]
"""
COPY = "from copy import deepcopy\ndef f(conf: dict) -> dict:\n    return deepcopy(conf)\n"
COPY_BY_JSON = "import json\ndef f(conf: dict) -> dict:\n    return json.loads(json.dumps(conf))\n"
CONFIGURATIONS = "CALLS = [(({f'k{i}': [[i, 2], [3]] for i in range(n)},), {}) for n in range(12)]\n"
UNIQUE = """\
def f(items):
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
"""
UNIQUE_BY_KEY = "def f(items):\n    return list(dict.fromkeys(items))\n"
NUMBERS = "CALLS = [(([n, 2, 3, 2, n][: n + 1],), {}) for n in range(12)]\n"
SUBTRACT = """\
def f(a) -> None:
    first = a.flat[0]
    for row in range(len(a)):
        a[row] -= first
"""
SUBTRACT_FLAT = "def f(a) -> None:\n    flat = a.reshape(-1)\n    flat -= flat[0].copy()\n"
ARRAYS = """\
import numpy as np
CALLS = [((np.arange(1.0, n * n + n + 1).reshape(n, n + 1),), {}) for n in range(1, 12)]
"""


@pytest.mark.parametrize(
    ("old", "calls", "new", "reasons"),
    [
        (PLAIN, NESTED, PLAIN_BY_TYPE, ("class OrderedDict", "class IntEnumMember", "class StrSubclass")),
        (COPY, CONFIGURATIONS, COPY_BY_JSON, ("an int among the keys", "a tuple among the values")),
        (UNIQUE, NUMBERS, UNIQUE_BY_KEY, ("a list among the items",)),
        (SUBTRACT, ARRAYS, SUBTRACT_FLAT, ("a view of another one", "Fortran order")),
    ],
)
def test_other_exact_types_are_caveats(
    judges: Judges, old: str, calls: str, new: str, reasons: tuple[str, ...]
) -> None:
    found = judges(old, calls, timed=False, all_examples=True).check(Revision.of(new), "a person's")
    assert found.correct, why(found)
    told = "; ".join(each for caveat in found.caveats for each in (*caveat.domain, caveat.cause))
    assert all(reason in told for reason in reasons), told


@pytest.mark.parametrize(
    ("old", "calls", "new"),
    [
        (UNIQUE, NUMBERS, UNIQUE.replace("in items:", "in [*items]:")),
        (SUBTRACT, ARRAYS, "def f(a) -> None:\n    a -= a.flat[0]\n"),
    ],
)
def test_drafts_that_take_all_types_have_no_caveat(judges: Judges, old: str, calls: str, new: str) -> None:
    found = judges(old, calls, timed=False, all_examples=True).check(Revision.of(new), "a person's")
    assert found.correct, why(found)
    assert not found.caveats
