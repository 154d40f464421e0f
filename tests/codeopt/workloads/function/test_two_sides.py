"""Two functions of one module: the sides of a comparison have the same text, and are told apart by who they are."""

from __future__ import annotations

from codeopt.core.revision import Revision
from codeopt.workloads.function.harness import TimedRuns
from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from tests.sandbox.said import said

MODULE = "def f(n):\n    return n + 1\n\n\ndef g(n):\n    return n + 2\n"
BATCH = CallBatch(("f(1)",))


def test_each_side_calls_its_own_function(isolated: Sandbox) -> None:
    target, other_version = Revision.of(MODULE), Revision.of(MODULE, "mod.py")
    f, g = (FunctionRef("mod", "/nowhere/mod.py", name) for name in "fg")
    runner = TimedRuns(CallRunner(isolated, f), {other_version: g})
    assert [said(runner.ask(side, BATCH))[0] for side in (target, other_version)] == ["returns 2", "returns 3"]
    timed = BATCH.replace(program="time").stdin()
    runs = [runner.run(side, timed).call_timing for side in (target, other_version, other_version)]
    assert [len(runner.timings(side)) for side in (target, other_version)] == [1, 2]
    assert runner.timings(other_version) == runs[1:]
