"""Timed calls beside checked ones: what the function sees is the same, and what is done beside the calls is seen."""
# looks at sandbox/codeopt_sandbox/guest/calls/worker
# looks at sandbox/codeopt_sandbox/guest/calls/controller, sandbox/codeopt_sandbox/guest/calls

from __future__ import annotations

from typing import Any

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, CallRun, CallRunner, CallTiming, FunctionRef
from tests.sandbox.said import answer_of, runner_of

FRAMES = """\
import sys
def f(n):
    found, frame = [], sys._getframe(1)
    while frame is not None:
        found.append((frame.f_code.co_name, sorted(frame.f_locals), len(found)))
        frame = frame.f_back
    return found
"""
KNOWN = """\
import gc
def f(n):
    numbers = [each for each in gc.get_objects() if type(each).__name__ == "CallBatch"]
    return [(each.passes, each.groups, each.whole, each.pass_seconds) for each in numbers], [
        text for each in numbers for text in each.calls if "77" in text]
"""
WORK = "def work(n):\n    total = 0\n    for i in range(n):\n        total += i % 7\n    return total\n"
AFTER = (
    WORK
    + """\
import gc
class Late:
    def __init__(self, n):
        self.n = n
    def __del__(self):
        work(self.n)
def f(n):
    passing = [each for each in gc.get_objects() if type(each).__name__ == "TimedPass"]
    channel = passing[0].channel
    class Hook(type(channel)):
        def send(self, letter, text=""):
            super().send(letter, text)
            if letter == b"D":
                work(n)
    channel.__class__ = Hook
    return 1
"""
)
CHILD = (
    WORK
    + "import os\ndef f(n):\n    if not os.fork():\n        work(n)\n        os._exit(0)\n    return os.wait()[1]\n"
)
ENOUGH, LONG_S = 2_000_000, 0.02


def run(sandbox: Sandbox, module: str, *calls: str, mode: Any = "time", **options: Any) -> CallRun:
    """A run of calls of a module's function."""
    ref = FunctionRef("mod", "/nowhere/mod.py", "f", globals=("COUNT",) * ("COUNT" in module))
    return CallRunner(sandbox, ref).run(module, CallBatch(calls, mode, **options).stdin())


def timing(found: CallRun) -> CallTiming:
    assert found.call_timing is not None, found
    return found.call_timing


def test_the_frames_below_a_call_are_the_same(sandbox: Sandbox) -> None:
    texts = []
    for mode in ("time", "check"):
        answer = answer_of(run(sandbox, FRAMES, "f(1)", mode=mode))
        texts.append(answer.outcomes[0].text)
    assert texts[0] == texts[1]
    assert "passes" not in texts[0]


def test_a_worker_is_told_nothing_of_the_passes(isolated: Sandbox) -> None:
    """Neither how many there are nor which is looked at; and no timed call before its warm-up is over."""
    for options in ({}, {"passes": 3}, {"whole": True}, {"pass_seconds": 7.0}):
        answer = answer_of(run(isolated, KNOWN, "f(1)", "f(77)", warm=1, **options))
        assert answer.outcomes[0].text.startswith("returns ([(1, (), False, 60.0)], [])")


@pytest.mark.parametrize("late", [True, False])
def test_what_is_done_after_the_end_is_seen(sandbox: Sandbox, late: bool) -> None:
    module = AFTER if late else WORK + "def f(n):\n    return work(n)\n"
    found = timing(run(sandbox, module, f"f({ENOUGH})"))
    beside, calls = sum(found.beside), sum(found.cpu)
    assert (beside > LONG_S) is late
    assert (calls > LONG_S) is not late


def test_what_other_processes_do_is_seen(sandbox: Sandbox) -> None:
    assert timing(run(sandbox, CHILD, f"f({ENOUGH})")).elsewhere_s > LONG_S
    assert timing(run(sandbox, CHILD, "f(1)")).elsewhere_s < LONG_S


LARGE = "KEPT = []\ndef f(n):\n    KEPT.append(b'a' * n)\n"
"""The process of a pass keeps memory that the kernel takes back at its end."""


def test_the_end_of_a_large_process_is_nobodys_work(sandbox: Sandbox) -> None:
    found = run(sandbox, LARGE, f"f({100 << 20})", passes=4)
    assert found.answer is not None
    assert len(found.answer.times.exits) == 4 + 1  # the importer is the last
    assert timing(found).elsewhere_s < sum(found.answer.times.exits)
    assert timing(found).outside_s > timing(found).import_s


LEAVES = "COUNT = []\nkept = [1]\ndef f(n):\n    COUNT.append(n)\n    print('seen', n)\n    return kept\n"


def test_a_pass_that_is_looked_at_as_checked_calls_are(sandbox: Sandbox) -> None:
    plain = run(sandbox, LEAVES, "f(1)", "f(2)", passes=2).answer
    whole = run(sandbox, LEAVES, "f(1)", "f(2)", passes=2, whole=True).answer
    assert plain is not None
    assert whole is not None
    assert plain.state is None
    assert [each.text for each in plain.outcomes] == ["returns [1]"] * 2
    assert whole.state is not None
    assert whole.state.text == "state: global COUNT becomes [1, 2]; prints 'seen 1\\nseen 2\\n'"
    assert all("called again, after its result was changed: returns [1, 'sp" in each.text for each in whole.outcomes)


PASSES = [
    ("return [1, 2.5, 'a', xs, (None, True)]", False),
    ("xs.append(7)", False),
    ("raise ValueError(7)", False),
    ("return [xs, os.getpid()]", True),
    ("xs.append(os.getpid())", True),
    ("return xs if os.getpid() % 2 else list(xs)", True),
    ("return (bytes if os.getpid() % 2 else bytearray)(4)", True),
    ("raise ValueError(os.getpid())", True),
    ("return {os.getpid()}", True),
    ("return [open('/tmp/n', 'a').write('x') and os.path.getsize('/tmp/n')]", True),
]
"""Body of a function of a list; whether its answer differs from process to process."""


@pytest.mark.parametrize(("body", "differs"), PASSES)
def test_another_answer_in_a_later_pass_is_seen(isolated: Sandbox, body: str, differs: bool) -> None:
    runner = CallRunner(isolated, FunctionRef("mod", "/nowhere/mod.py", "f"))
    for text in ("return [1]", body):  # what the host knows already is the first answer of the row that counts
        batch = CallBatch(("f([1, 2])",), "time", passes=4)
        found = answer_of(runner.ask(f"import os\ndef f(xs):\n    {text}\n", batch))
    assert bool(found.outcomes[0].other_run) is differs


WINDOWS = """\
class Sum:
    def __init__(self, n):
        self.n = n
        self._rows = ROWS

    @property
    def total(self):
        return sum(k * k for k in range(self.n)) if LATE else self.n

    def size(self):
        return self.n

def f(n):
    return Sum(n)
"""


def beside(sandbox: Sandbox, **names: str) -> float:
    """CPU seconds that a pass of a call takes beside it: what makes arguments, and what uses the result."""
    text = "\n".join([*(f"{name} = {value}" for name, value in names.items()), WINDOWS])
    run = runner_of(sandbox).run(text, CallBatch(("f(300_000)",), "time", passes=3).stdin())
    return min(answer_of(run).times.beside)


def test_what_a_result_puts_off_is_paid_where_it_is_used(isolated: Sandbox) -> None:
    """The harness's own look at what a result holds is in no window."""
    usual = beside(isolated, LATE="False", ROWS="None")
    assert beside(isolated, LATE="True", ROWS="None") > 10 * usual
    assert beside(isolated, LATE="False", ROWS="[[n, str(n), {n}] for n in range(20_000)]") < 10 * usual


def test_what_the_harness_looks_at_in_objects_is_no_work_of_calls(isolated: Sandbox) -> None:
    """The object of the first call, which warms up, cannot be made."""
    text = WINDOWS.replace("ROWS", "[[k, str(k), {k}] for k in range(20_000 // n)]")
    calls = tuple(f"f(load('mod', 'Sum')({n}))" for n in (0, 1))
    found = timing(runner_of(isolated, "Sum.size").run(text, CallBatch(calls, "time", warm=1).stdin()))
    assert found.looked_s > 3 * sum(found.beside)
    plain = timing(
        runner_of(isolated).run("def f(xs):\n    return sorted(xs)\n", CallBatch(("f([2, 1])",), "time").stdin())
    )
    assert plain.looked_s == 0
