"""Calls that take for ever: each has a limit, all together have one, and what is timed is bearable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.function.corpus import observe
from codeopt.workloads.function.corpus.cases import CaseMaker
from codeopt.workloads.function.harness import TimedRuns, open_harness
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import read
from codeopt_sandbox.calls import CallRun
from codeopt_sandbox.comparing import AnswerComparison
from codeopt_sandbox.guest.request import batch_of
from tests.codeopt.workloads.conftest import Compare
from tests.support.judges import open_with

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


def test_a_version_that_does_not_end_is_wrong_and_the_call_is_named(compare: Compare) -> None:
    old = "def f(text):\n    return len(text)\n"
    new = "def f(text):\n    while len(text) > 2:\n        pass\n    return len(text)\n"
    found = compare(old, new, "CALLS = [(('ab' * n,), {}) for n in range(40)]\n")
    assert (found["verdict"], found["ratio"]) == ("wrong", None), found
    assert "expected returns 3, got takes longer than" in found["reason"]


SUMS = "def f(n):\n    total = 0\n    for k in range(n):\n        total += k\n    return total\n"


class BusyOnce:
    """A runner on a machine that somebody else has, for one run: there is no time for all of its calls."""

    def __init__(self, runner: TimedRuns) -> None:
        self.runner, self.busy = runner, True

    def run(self, source: Revision, stdin: bytes, **options: Any) -> CallRun:
        budget, self.busy = (0.01 if self.busy else 10.0), False
        return self.runner.run(source, batch_of(stdin).replace(budget=budget).stdin(), **options)


def test_a_known_call_that_somebody_else_held_up_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "sums.py"
    path.write_text(SUMS)
    with open_harness(read_function(path, "f"), open_with) as harness:
        calls = [read("f(300000)"), read("f(7)")]
        known, dropped = observe.observe(harness, calls, dict.fromkeys(calls, "tests"))
        assert (len(known), dropped) == (2, {})
        runner: Any = BusyOnce(TimedRuns(harness.runner))
        known = [replace(each, independent=False) for each in known]  # else nothing is run again
        (case,) = CaseMaker(harness, runner, AnswerComparison()).cases(known, "calls")
    assert not runner.busy
    assert case.answer
    assert [each.kind for each in case.answer.outcomes] == ["returns", "returns"]
