"""Drafts that err only where known calls do not go: on long arguments, deep down, far along an iterator, on what the
function refuses."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt_sandbox import CaseVerdict
from tests.codeopt.workloads.conftest import Judges

pytestmark = pytest.mark.full

LISTS = "CALLS = [(([i * 37 % 1009 for i in range(n)],), {}) for n in (0, 1, 2, 5, 9, 120)]\n"
WRONG = {
    "equal items of a long list": (
        "def f(a):\n    return sorted(a)\n",
        "def f(a):\n    return sorted(a) if len(a) < 100 else sorted(set(a))\n",
        LISTS,
        "calls.made",
    ),
    "deep recursion": (
        "def f(a):\n    t = 0\n    for x in a:\n        t += x\n    return t\n",
        "def f(a, at=0):\n    return a[at] + f(a, at + 1) if at < len(a) else 0\n",
        LISTS,
        "calls.made",
    ),
    "far along an iterator": (
        "def f(n):\n    for i in range(n):\n        yield i * i\n",
        "def f(n):\n    for i in range(n):\n        yield i * i if i != 15_000 else 0\n",
        "CALLS = [((n,), {}) for n in (0, 1, 2, 5, 9, 20_000)]\n",
        "read on",
    ),
    "reads all before it yields": (
        "from typing import Iterable\ndef f(a: Iterable[int]):\n    for x in a:\n        yield x + 1\n",
        "from typing import Iterable\ndef f(a: Iterable[int]):\n    return iter([x + 1 for x in a])\n",
        LISTS,
        "calls.made",
    ),
    "a type that is refused": (
        "def f(n):\n    if not isinstance(n, int):\n        raise TypeError('whole numbers only')\n    return n * 2\n",
        "def f(n):\n    return n + n\n",
        "CALLS = [((n,), {}) for n in (0, 1, 2, 5, 9)]\n",
        "calls.made",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_where_known_calls_do_not_go(judges: Judges, name: str) -> None:
    old, new, calls, kind = WRONG[name]
    found = judges(old, calls, timed=False).check(Revision.of(new), "a person's")
    assert [outcome.case.rpartition(".")[0] for outcome in found.outcomes if outcome.verdict is CaseVerdict.WA] == [
        kind
    ]
