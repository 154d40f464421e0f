"""Which core a run gets, and that it has no other."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from codeopt_sandbox import Options, Sandbox, host, open_sandbox
from codeopt_sandbox.calls import CallBatch, Kind
from tests.conftest import open_or_skip
from tests.sandbox.said import answer_of, runner_of

CORES = sorted(os.sched_getaffinity(0))
SEES = "import os; print(*sorted(os.sched_getaffinity(0)))"
CHANGES = """
import os
try:
    os.sched_setaffinity(0, range(64))
except PermissionError:
    print("refused", flush=True)
if not os.fork():
    print(*sorted(os.sched_getaffinity(0)), flush=True)
    os._exit(0)
os.wait()
"""


def spin() -> int:
    """A process that keeps the last core busy; its pid."""
    pid = os.fork()
    if not pid:
        os.sched_setaffinity(0, {CORES[-1]})
        while True:
            pass
    return pid


@pytest.fixture
def one_core_busy() -> Iterator[None]:
    pid = spin()
    yield
    os.kill(pid, 9)
    os.waitpid(pid, 0)


def test_it_is_one_that_we_may_use() -> None:
    assert host.CoreLook().quietest() in CORES


def test_with_one_core_there_is_no_choice() -> None:
    os.sched_setaffinity(0, {CORES[0]})
    try:
        assert host.CoreLook().quietest() == CORES[0]
    finally:
        os.sched_setaffinity(0, CORES)


def test_idle_time_is_known_for_every_core_and_only_grows(one_core_busy: None) -> None:
    before = host._idle_ticks()
    after = host._idle_ticks()
    assert set(CORES) <= set(before)
    assert all(after[core] >= before[core] for core in before)


def test_a_run_has_the_one_core(sandbox: Sandbox) -> None:
    assert sandbox.core in CORES
    for mode in ("fork", "exec"):
        assert sandbox.run(SEES, mode=mode).stdout.split() == [b"%d" % sandbox.core]  # type: ignore[arg-type]


def test_a_run_cannot_take_another(isolated: Sandbox) -> None:
    assert isolated.run(CHANGES).stdout == b"refused\n%d\n" % (isolated.core or 0)


def test_settling_moves_the_next_run(sandbox: Sandbox) -> None:
    for _ in range(3):
        sandbox.quiesce()
        assert sandbox.run(SEES).stdout.split() == [b"%d" % (sandbox.core or 0)]


@pytest.mark.parametrize("core", CORES)
def test_the_user_may_name_it(core: int) -> None:
    with open_sandbox("process", options=Options(core=core)) as opened:
        opened.quiesce()
        assert opened.core == core
        assert opened.run(SEES).stdout.split() == [b"%d" % core]


def test_the_user_may_ask_for_all() -> None:
    with open_sandbox("process", options=Options(all_cores=True)) as opened:
        assert opened.core is None
        assert opened.run(SEES).stdout.split() == [b"%d" % core for core in CORES]


def test_a_guest_of_each_backend_can_be_opened_here() -> None:
    """Or the tests above said less than they seem to."""
    with open_or_skip("process") as opened:
        assert opened.run("print(1)").stdout == b"1\n"


def test_time_that_others_have_is_no_time_of_calls(one_core_busy: None) -> None:
    """Calls of 10 ms beside two that keep their core busy: nearly as many are made as of 0.3 s there are."""
    works = (
        "import time\ndef f(n):\n    until = time.process_time() + 0.01\n    while time.process_time() < until: pass\n"
    )
    batch = CallBatch(tuple(f"f({number})" for number in range(29)), budget=0.3)
    other = spin()
    try:
        with open_or_skip("bubblewrap", options=Options(core=CORES[-1])) as sandbox:
            answer = runner_of(sandbox).ask(works, batch).answer
    finally:
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)
    assert answer is not None
    assert sum(each.kind == Kind.RETURNS for each in answer.outcomes) > 20


def test_no_call_is_begun_after_all_their_time() -> None:
    """A call that takes all of it, as long as the one call of BIG may, is the last."""
    batch = CallBatch(("f(1)", "f(2)"), seconds=0.3, lost=3, budget=0.3)
    with open_or_skip("process") as sandbox:
        answer = answer_of(runner_of(sandbox).ask("def f(n):\n    while True: pass\n", batch))
    assert [each.kind for each in answer.outcomes] == [Kind.TIMEOUT, Kind.NOT_MADE]
