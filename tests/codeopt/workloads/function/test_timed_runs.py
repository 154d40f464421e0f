"""Runners of calls that are apart for a while."""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.revision import Revision
from codeopt.workloads.function.harness import TimedRuns
from codeopt_sandbox.call_answer import LeftSetting, ProcessChanges
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef
from tests.conftest import open_or_skip

LEAVES = Revision.of("import sys\n\ndef f(n):\n    sys.setrecursionlimit(n)\n")
EARLIER = ProcessChanges((LeftSetting("the umask", "0o022", "0o077", "calls"),), ())


def test_what_one_leaves_is_known_to_the_other_once_they_are_joined() -> None:
    with open_or_skip("bubblewrap") as sandbox:
        reference = FunctionRef(module="m", file="/tmp/m.py", qualname="f")
        runner = TimedRuns(CallRunner(sandbox, reference), left={(LEAVES, ()): [EARLIER]})
        apart = runner.apart()
        run = apart.ask(LEAVES, CallBatch(("f(3000)",)))
        assert run.answer is not None
        assert run.answer.left is not None
        assert runner.left == {(LEAVES, ()): [EARLIER]}
        for _ in range(2):
            runner.join(replace(apart))
            assert runner.left == {(LEAVES, ()): [EARLIER, *apart.left[LEAVES, ()]]}
    settings = {each.name for changes in apart.left[LEAVES, ()] for each in changes.settings}
    assert "the recursion limit" in settings
