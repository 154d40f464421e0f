"""Calls that are deeper than any known one: which are made, and what a draft that recurses does on them."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.report.verdict import why
from codeopt.workloads.generated.larger import deep_calls
from codeopt.workloads.source.literals import read
from tests.codeopt.workloads.conftest import Judges as Judges
from tests.codeopt.workloads.conftest import judges as judges

BUSHY = ["f([-1, 0, 0, 0, 0, 0, 0, 0, 0])", "f([-1, 0, 0, 0, 0, 0, 0, 0])", "f([-1, 0, 0, 0, 0, 0, 0])"]
LONG = ["f([-1, 0, 1, 2, 3])", "f([-1, 0, 1])", "f([-1, 0, 0, 2])", "f([-1])"]


@pytest.mark.parametrize(
    ("calls", "chain"),
    [
        (LONG, "f([-1, 0, 1, 2, 3, 4, "),
        (BUSHY, "f(deepened(None, [-1, 0, 1, 2, 3, 4, "),
        (["f([(1, 2), (1, 3), (3, 4)])"] * 3, "f([(1, 2), (2, 3), (3, 4), (4, 5), "),
        (["f({'a': ['b'], 'b': ['c'], 'c': []})"] * 3, "f({'n0': ['n1'], 'n1': ['n2'], "),
        (["f([1, [2, [3]], 4])"], "f(deepened(lambda inner: [1, inner], [1, [2, [3]], 4], 1200))"),
        (["f((1, (2, None), None))"], "f(deepened(lambda inner: (1, inner, None,), (1, (2, None), None), 1200))"),
        (
            ["f({'v': 1, 'kids': [{'v': 2, 'kids': []}]})"],
            "f(deepened(lambda inner: {'v': 1, 'kids': [inner]}, {'v': 1, 'kids': [{'v': 2, 'kids': []}]}, 1200))",
        ),
    ],
)
def test_what_is_made_deep(calls: list[str], chain: str) -> None:
    found = [call.text for call in deep_calls([*map(read, calls)])]
    assert any(text.startswith(chain) for text in found), [text[:80] for text in found]


@pytest.mark.parametrize(
    "calls", [["f(3)"], ["f()"], [], ["f([1, -2])"], ["f(load('m', 'x'))"], ["not a call"], ["f({'edges': [[0, 1]]})"]]
)
def test_what_has_no_depth(calls: list[str]) -> None:
    assert deep_calls([*map(read, calls)]) == []


PARENTS = """
def f(parents):
    found = []
    for node in range(len(parents)):
        depth = 0
        while parents[node] >= 0:
            node = parents[node]
            depth += 1
        found.append(depth)
    return found
"""
FROM_THE_END = """
def f(parents):
    known = {}
    def depth(node):
        if node not in known:
            known[node] = 0 if parents[node] < 0 else depth(parents[node]) + 1
        return known[node]
    return [depth(node) for node in reversed(range(len(parents)))][::-1]
"""


@pytest.mark.full
def test_a_recursion_on_what_is_a_chain_by_nature_is_refused(judges: Judges) -> None:
    calls = "CALLS = [(([-1] + [max(0, at - at % 3) for at in range(n)],), {}) for n in (0, 1, 2, 5, 9, 20, 30)]\n"
    judge = judges(PARENTS, calls, timed=False)
    assert "RecursionError" in why(judge.check(Revision.of(FROM_THE_END), "a person's"))
    honest = judge.check(
        Revision.of(FROM_THE_END.replace("reversed(range(len(parents)))][::-1]", "range(len(parents))]")), "its"
    )
    assert honest.correct, why(honest)
