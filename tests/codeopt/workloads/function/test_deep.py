"""Calls that are deeper than any known one: which are made, and what a draft that recurses does on them."""

from __future__ import annotations

import pytest

from codeopt.core.revision import Revision
from codeopt.report.verdict import why
from tests.codeopt.workloads.conftest import Judges as Judges
from tests.codeopt.workloads.conftest import judges as judges

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
