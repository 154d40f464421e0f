"""Optional parameters that no known call gives."""

from __future__ import annotations

import pytest

from tests.codeopt.workloads.conftest import Compare


@pytest.mark.full
def test_a_draft_that_errs_where_no_known_call_goes(compare: Compare) -> None:
    old = "def f(items, start=0):\n    found = []\n    for item in items:\n        found = found + [item + start]\n"
    old += "    return found\n"
    new = "def f(items, start=0):\n    return [item + abs(start) for item in items]\n"
    found = compare(old, new, "CALLS = [((list(range(n)),), {}) for n in range(12)]\n")
    assert found["verdict"] == "wrong", found
    assert "start=-" in found["reason"]
