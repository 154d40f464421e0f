"""Calls that are made from known ones are asked of the original once, and again where a draft answers otherwise."""

from __future__ import annotations

import pytest

from codeopt.report.outcomes import why
from tests.codeopt.workloads.conftest import Compare, Judges

pytestmark = pytest.mark.full

FIRST = """\
def f(words: list[str]) -> str:
    if len(set(words)) > 4:
        return next(iter(set(words)))
    return "".join(sorted(words)) * 1
"""
"""With many words the answer depends on the order of a set, which no known call shows."""
LAST = FIRST.replace("next(iter(set(words)))", "list(set(words))[-1]")
OTHER = FIRST.replace('"".join(sorted(words))', '"".join(sorted(words)).replace("zq", "q")')
CALLS = """\
CALLS = [((list("zqab")[:n],), {}) for n in range(5)] + [((["ab", "c"] * n,), {}) for n in range(1, 9)]
BIG = [((["ab", "c", "zz"] * 20_000,), {})]
"""
RANDOM = """\
import random
CALLS = [(([random.random() for _ in range(40 * n)],), {}) for n in range(12)]
BIG = [(([random.random() for _ in range(50_000)],), {})]
"""


def test_a_call_whose_answer_is_never_the_same_refuses_no_draft(judges: Judges) -> None:
    judge = judges(FIRST, CALLS, timed=False)
    draft = judge.workload.baseline.revision
    found = judge.check(type(draft).of(LAST), "last")
    assert found.correct, why(found)
    assert not judge.check(type(draft).of(OTHER), "other").correct


def test_calls_that_a_file_draws_are_the_same_in_each_run(compare: Compare) -> None:
    old = "def f(xs):\n    total = 0.0\n    for x in xs:\n        total = max(total, x)\n    return total\n"
    new = "def f(xs):\n    return max(xs, default=0.0) if min(xs, default=0.0) >= 0 else max(0.0, max(xs))\n"
    assert compare(old, new, RANDOM)["verdict"] == "faster"
    assert compare(old, new.replace("max(xs, default", "min(xs, default"), RANDOM)["verdict"] == "wrong"
