"""A draft that is faster on the timed calls and slower on others alike to them is told of; one that is faster on all is
not."""

from __future__ import annotations

import pytest

from codeopt_sandbox.caveat import CaveatKind
from tests.codeopt.workloads.conftest import Judges
from tests.support.judges import referee

pytestmark = pytest.mark.full

OLD = """\
def f(a):
    last = {}
    for at, x in enumerate(a):
        last[x] = at
    found = {}
    for at, x in enumerate(a):
        if last[x] == at:
            found[x] = sum([y == x for y in a]) if len(last) < 50 else 0
    return found
"""
SLOWER_WHERE_DISTINCT = """\
def f(a):
    order = []
    for x in reversed(a):
        if x not in order:
            order.append(x)
    order.reverse()
    return {x: a.count(x) if len(order) < 50 else 0 for x in order}
"""
FASTER = """\
def f(a):
    order = list(dict.fromkeys(reversed(a)))
    order.reverse()
    return {x: a.count(x) if len(order) < 50 else 0 for x in order}
"""
CALLS = "CALLS = [(([i % 4 for i in range(n)],), {}) for n in (0, 1, 2, 5, 9, 40)]\n"
CALLS += "BIG = [(([i * 7 % 11 for i in range(n)],), {}) for n in (1500, 1600)]\n"


def test_a_loss_on_another_shape_is_a_caveat(judges: Judges) -> None:
    found = referee(judges(OLD, CALLS), SLOWER_WHERE_DISTINCT)
    assert found.faster, found
    losses = [caveat for caveat in found.caveats if caveat.kind is CaveatKind.SPEED]
    assert any("all items distinct" in caveat.cause for caveat in losses), found
    assert all("x slower" in caveat.got and caveat.expected.startswith("takes ") for caveat in losses)


def test_a_gain_everywhere_has_none(judges: Judges) -> None:
    found = referee(judges(OLD, CALLS), FASTER)
    assert found.faster, found
    assert [caveat for caveat in found.caveats if caveat.kind is CaveatKind.SPEED] == []
