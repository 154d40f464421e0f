"""Runners of calls that are apart for a while; two sides with the same text, which have targets of their own."""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.revision import Revision
from codeopt.workloads.function.harness import TimedRuns
from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef, LeftSetting, ProcessChanges
from tests.conftest import open_or_skip
from tests.sandbox.said import answer_of, said

LEAVES = Revision.of("import sys\n\ndef f(n):\n    sys.setrecursionlimit(n)\n")
MODULE = "def f(n):\n    return n + 1\n\n\ndef g(n):\n    return n + 2\n"
BATCH = CallBatch(("f(1)",))
EARLIER = ProcessChanges((LeftSetting("the umask", "0o022", "0o077", "calls"),), ())


def test_what_one_leaves_is_known_to_the_other_once_they_are_joined() -> None:
    with open_or_skip("bubblewrap") as sandbox:
        reference = FunctionRef(module="m", file="/tmp/m.py", qualname="f")
        runner = TimedRuns(CallRunner(sandbox, reference), left={(LEAVES, ()): [EARLIER]})
        apart = runner.apart()
        run = apart.ask(LEAVES, CallBatch(("f(3000)",)))
        assert answer_of(run).left is not None
        assert runner.left == {(LEAVES, ()): [EARLIER]}
        for _ in range(2):
            runner.join(replace(apart))
            assert runner.left == {(LEAVES, ()): [EARLIER, *apart.left[LEAVES, ()]]}
    settings = {each.name for changes in apart.left[LEAVES, ()] for each in changes.settings}
    assert "the recursion limit" in settings


def test_each_side_calls_its_own_function(isolated: Sandbox) -> None:
    target, other_version = Revision.of(MODULE), Revision.of(MODULE, "mod.py")
    f, g = (FunctionRef("mod", "/nowhere/mod.py", name) for name in "fg")
    runner = TimedRuns(CallRunner(isolated, f), {other_version: g})
    assert [said(runner.ask(side, BATCH))[0] for side in (target, other_version)] == ["returns 2", "returns 3"]
    timed = BATCH.replace(program="time").stdin()
    runs = [runner.run(side, timed).call_timing for side in (target, other_version, other_version)]
    assert [len(runner.timings(side)) for side in (target, other_version)] == [1, 2]
    assert runner.timings(other_version) == runs[1:]
