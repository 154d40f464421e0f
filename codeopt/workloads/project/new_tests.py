"""Tests that only NEW has, run on both versions: a row of their own, in addition to OLD's tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codeopt.core.revision import UNCHANGED
from codeopt.core.words import counted
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.test_runs import Way, run_tests

MORE = 4
"""Time limit of these tests on NEW, as a multiple of their time on OLD."""
SECONDS = 120.0
"""Time limit of these tests on OLD, seconds. NEW has it also, and more if OLD takes long."""


@dataclass(frozen=True)
class NewTests:
    """Results of the tests that only NEW has."""

    run: int
    """Number of tests that ran on either side."""
    on_new: int
    """Number of those that pass on NEW."""
    on_old: int
    """Number of those that pass on OLD."""
    wrong: str = ""
    """First test that passes on OLD and fails on NEW. Empty if no test does."""
    unrun: str = ""
    """Reason why no test ran. Empty if one did."""

    @property
    def words(self) -> str:
        """`4 tests that only NEW has: 4 pass on NEW, 3 on OLD`."""
        if self.unrun:
            return f"tests that only NEW has are not run: {self.unrun}"
        passing = f"{self.on_new} pass{'es' * (self.on_new == 1)} on NEW"
        return f"{counted(self.run, 'test')} that only NEW has: {passing}, {self.on_old} on OLD"

    def to_json(self) -> dict[str, Any]:
        """Return the field `new_tests` of the evidence."""
        return {"run": self.run, "passed_on_new": self.on_new, "passed_on_old": self.on_old, "not_run": self.unrun}


def run_new_tests(runs: CommandRuns, way: Way) -> NewTests | None:
    """Run the test files that only NEW has on both versions, in the way of OLD's. None if NEW has no such files."""
    if runs.other is None or not runs.other.tests:
        return None
    files, revision = (*runs.other.tests, *runs.other.test_helpers), runs.other.revision
    paths = [path for path, _ in runs.other.tests]
    old = run_tests(runs, UNCHANGED, way, paths, SECONDS * runs.load, extra=files)
    limit = max(SECONDS, MORE * old.run.active_s) * runs.load
    new = run_tests(runs, revision, way, paths, limit, extra=files)
    lost = [name for name in old.passed if not new.states.get(name)]
    if lost:  # a test that passes by chance alone decides nothing
        again = run_tests(runs, revision, way, paths, limit, extra=files)
        lost = [name for name in lost if not again.states.get(name)]
    why = new.reason(lost[0]) or new.last_words if lost else ""
    wrong = f"test {lost[0]}, which only NEW has, passes on OLD and fails on NEW ({why})" if lost else ""
    run = len({*old.states, *new.states})
    return NewTests(run, len(new.passed), len(old.passed), wrong, "" if run else new.last_words)
