"""Calls that take for ever: each has a limit, all together have one, and what is timed is bearable."""

from __future__ import annotations

import pytest

from codeopt.workloads.function.corpus import observe
from tests.codeopt.workloads.conftest import Compare

pytestmark = pytest.mark.full

CATASTROPHE = """\
import re
def f(text):
    return bool(re.fullmatch("(a|aa)+b?", text))
"""
GIVEN = "CALLS = [(('a' * n,), {}) for n in range(14)] + [(('a' * n + 'c',), {}) for n in (1, 2, 99)]\n"


def test_a_given_call_that_does_not_end_is_left_out(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    """So are the calls made up near the others that do not end either; what is left says enough."""
    monkeypatch.setattr(observe, "GIVEN", observe.CallTimeLimit(0.3, observe.GIVEN_TOTAL_S))
    found = compare(CATASTROPHE, CATASTROPHE.replace("+b?", "+[bc]?"), GIVEN)
    assert found["verdict"] == "wrong", found
    assert found["evidence"]["left_out"]["calls that took too long"] >= 1
    assert (found["evidence"]["calls"], found["evidence"]["line_coverage"]) == (16, None)
    assert any("nothing else was tried" in note for note in found["notes"])
    found = compare(CATASTROPHE, f"{CATASTROPHE}# the same\n", GIVEN)
    assert found["verdict"] != "wrong", found
    assert found["evidence"]["calls"] > 16
