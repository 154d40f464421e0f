"""A draft that is faster on the timed calls and slower on others alike to them is told of, by `compare` and to a
proposer; one that is faster on all is not."""

from __future__ import annotations

from tests.codeopt.workloads.function.conftest import Compare

OLD = """\
def f(a):
    last = {}
    for at, x in enumerate(a):
        last[x] = at
    found = {}
    for at, x in enumerate(a):
        if last[x] == at:
            found[x] = sum([y == x for y in a[:200]]) if len(last) < 50 else 0
    return found
"""
SLOWER_WHERE_DISTINCT = """\
def f(a):
    order = []
    for x in reversed(a):
        if x not in order:
            order.append(x)
    order.reverse()
    head = a[:200]
    return {x: head.count(x) if len(order) < 50 else 0 for x in order}
"""
FASTER = """\
def f(a):
    order = list(dict.fromkeys(reversed(a)))
    order.reverse()
    head = a[:200]
    return {x: head.count(x) if len(order) < 50 else 0 for x in order}
"""
CALLS = "CALLS = [(([i % 4 for i in range(n)],), {}) for n in (0, 1, 2, 5, 9, 40)]\n"
CALLS += "BIG = [(([i * 7 % 11 for i in range(n)],), {}) for n in (3000, 3100)]\n"


def test_a_loss_on_another_shape_is_a_caveat(compare: Compare) -> None:
    found = compare(OLD, SLOWER_WHERE_DISTINCT, CALLS)
    assert found["verdict"] == "faster", found
    losses = [caveat for caveat in found["caveats"] if caveat["subject"] == "speed"]
    assert any("all items distinct" in caveat["because"] for caveat in losses), found
    assert all("times as long" in caveat["got"] and caveat["expected"].startswith("takes ") for caveat in losses)


def test_a_gain_everywhere_has_none(compare: Compare) -> None:
    found = compare(OLD, FASTER, CALLS)
    assert found["verdict"] == "faster", found
    assert [caveat for caveat in found["caveats"] if caveat["subject"] == "speed"] == []
