"""Calls that the project's tests make of a function, stored as recorded calls.

They come from a run of the tests in the sandbox, or from an earlier command's run.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.core.errors import Diagnostic, ProgramError
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.screen import inline
from codeopt.core.session import Mounts, Session
from codeopt.core.words import counted
from codeopt.workloads.function.corpus.sources import Ask, calls_of_tests
from codeopt.workloads.function.corpus.trace_cache import open_trace_cache
from codeopt.workloads.function.harness import open_harness
from codeopt.workloads.function.recording import keep_calls, recorded_calls, recording_file
from codeopt.workloads.sandbox_view.linked import Linked
from codeopt.workloads.source.functions import read_function
from codeopt_sandbox import Sandbox

MOST_TESTS = 3
"""Tests that are named."""


@dataclass(frozen=True)
class TestsRecording:
    """Recording of the calls that tests make."""

    path: Path
    """File of the calls."""
    new: int
    kept: int
    """Number of calls kept, of these and earlier ones."""
    tests: tuple[str, ...]
    """Ids of the tests that made them."""
    diagnostics: tuple[Diagnostic, ...]
    lost: int
    """Number of calls that cannot be written down."""

    def lines(self, target: Target) -> list[str]:
        """Summary for people."""
        shown = ", ".join(map(inline, self.tests[:MOST_TESTS])) + ", ..." * (len(self.tests) > MOST_TESTS)
        known = f", {self.kept} with those that were known" if self.kept > self.new else ""
        of_tests = f"{counted(len(self.tests), 'test')} ({shown})"
        lines = [
            f"{counted(self.new, 'new call')} of {target.name} by {of_tests} in {os.path.relpath(self.path)}{known}"
        ]
        lines += [f"{counted(self.lost, 'call')} cannot be written down"] * bool(self.lost)
        return [*lines, *(each.words for each in self.diagnostics)]


def record_tests(target: Target, options: ImproveOptions, session: Session) -> TestsRecording:
    """Record the calls that the tests make.

    Raises:
        UsageError: The function, a test or an option cannot be used.
        NoSandbox: No sandbox runs on this machine.
        ProgramError: The tests make no call.
    """
    options, python = session.find_interpreter(options, target.path)
    function, linked = read_function(target.path, target.name), Linked.of(python)

    def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
        return session.open_sandbox(options, notify=session.console.warn, mounts=mounts)

    with open_harness(function, open_with, options.tests, linked=linked) as harness:
        traces = open_trace_cache(harness, options, session, python, linked)
        harness = replace(harness, traced=traces.calls(function.path, function.qualname))
        found = calls_of_tests(
            Ask(
                harness,
                notify=session.console.progress,
                seen=lambda each: traces.keep_calls(function.path, function.qualname, each),
            )
        )
        module = harness.view.module
    calls = [call for _, texts in found.calls for call in texts]
    if not calls:
        lost = sum(found.dropped.values())
        reasons = [each.words for each in found.diagnostics] or ["no test calls it"]
        if lost:
            reasons = [f"{counted(lost, 'call')} cannot be written down", *(each.words for each in found.diagnostics)]
        what = f"no call of {target.name} by the project's tests can be kept: {'; '.join(reasons)}"
        raise ProgramError(f"{what}; calls of another run: codeopt record {target} -- COMMAND")
    before = set(recorded_calls(function))
    kept = keep_calls(module, function.qualname, calls)
    makers = tuple(dict.fromkeys(found.places[call] for call in calls if call in found.places))
    path = recording_file(module, function.qualname)
    lost = sum(found.dropped.values())
    return TestsRecording(path, len({*calls} - before), kept, makers, found.diagnostics, lost)
