"""Answers that are in another order each time, as a set is, are compared without it, and with all else."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from tests.codeopt.workloads.conftest import Judges

pytestmark = pytest.mark.full

GROUPED = """\
def f(pairs):
    found = {}
    for name in set(name for name, _ in pairs):
        found[name] = [number for other, number in pairs if other == name]
    return found
"""
ONE_PASS = """\
def f(pairs):
    found = {}
    for name, number in pairs:
        found.setdefault(name, []).append(number)
    return found
"""
LISTED = "def f(pairs):\n    return [[name, len(name)] for name in set(name for name, _ in pairs)]\n"
UNIQUE = "def f(pairs):\n    return [[name, len(name)] for name in dict.fromkeys(name for name, _ in pairs)]\n"
CALLS = (
    "CALLS = [(([('k%d' % (i * 7 % n), i * 5 % 9) for i in range(2 * n)],), {}) for n in range(1, 12)]\n"
    "BIG = [(([('k%d' % (i % 97), i) for i in range(4000)],), {})]\n"
)
DRAFTS = {
    "a dictionary in another order": (GROUPED, ONE_PASS, True),
    "a list of it in another order": (GROUPED, ONE_PASS.replace("append(number)", "insert(0, number)"), False),
    "another item in it": (GROUPED, ONE_PASS.replace("append(number)", "append(number or 1)"), False),
    "a list in another order": (LISTED, UNIQUE, True),
    "a list with all items twice": (LISTED, UNIQUE.replace("return [", "return 2 * ["), False),
}


@pytest.mark.parametrize("name", DRAFTS)
def test_an_order_that_is_never_the_same(judges: Judges, name: str) -> None:
    old, new, right = DRAFTS[name]
    judge = judges(old, CALLS, timed=False)
    known = [each for each in judge.workload.corpus.known if each.vouched]
    assert len(known) == 11
    assert judge.check(Revision.of(new), "new").correct is right


def test_what_is_timed_has_it_too(judges: Judges) -> None:
    plan = judges(GROUPED, CALLS).workload.plan
    assert plan is not None
    assert plan.timed.batch.ordered == "lists"


def test_calls_made_together_have_the_order_of_no_seed(judges: Judges) -> None:
    """Of two names a set has the same order under half of all pairs of seeds."""
    calls = "CALLS = [(([('a%d' % at, 1), ('b%d' % at, 2)],), {}) for at in range(30)]\n"
    judge = judges(GROUPED, calls, timed=False)
    assert judge.check(Revision.of(ONE_PASS), "new").correct
    assert not judge.check(Revision.of(ONE_PASS.replace("append(number)", "append(-number)")), "wrong").correct
