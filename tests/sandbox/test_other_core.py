"""A second sandbox on another core, for runs that are not timed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from codeopt_sandbox import Options, Sandbox, SandboxError, open_sandbox
from tests.conftest import open_or_skip

CORES = sorted(os.sched_getaffinity(0))
SEES = "import os; print(*sorted(os.sched_getaffinity(0)))"
WAITS = "import time; print(time.monotonic()); time.sleep(1); print(time.monotonic())"

pytestmark = pytest.mark.skipif(len(CORES) < 2, reason="there is one core")


@pytest.fixture
def other(sandbox: Sandbox) -> Sandbox:
    """The second sandbox of the one that all tests share."""
    found = sandbox.on_other_core()
    assert found is not None
    return found


def test_it_has_another_core(sandbox: Sandbox, other: Sandbox) -> None:
    own = sandbox.run(SEES).stdout.split()
    there = other.run(SEES).stdout.split()
    assert len(own) == len(there) == 1
    assert own != there


def test_it_is_kept_and_goes_on_with_a_fresh_guest_where_its_owner_does(sandbox: Sandbox, other: Sandbox) -> None:
    guest = "print(open('/proc/1/stat').read().rpartition(')')[2].split()[19])"  # when it was started
    before = other.thread.submit(other.run, guest).result().stdout
    assert sandbox.on_other_core() is other
    assert other.thread.submit(other.run, guest).result().stdout == before
    sandbox.restart_guest()
    assert other.run(guest).stdout != before or sandbox.backend == "process"


def test_both_run_at_once(sandbox: Sandbox, other: Sandbox) -> None:
    with ThreadPoolExecutor(2) as threads:
        runs = [threads.submit(each.run, WAITS) for each in (sandbox, other)]
        (start, end), (other_start, other_end) = (map(float, each.result().stdout.split()) for each in runs)
    assert max(start, other_start) < min(end, other_end)


def test_threads_share_a_sandbox_by_turns(sandbox: Sandbox) -> None:
    """Each gets the answer to its own question."""
    with ThreadPoolExecutor(4) as threads:
        runs = threads.map(lambda number: sandbox.run(f"print({number})").stdout, range(20))
        assert list(runs) == [f"{number}\n".encode() for number in range(20)]


def test_a_stopped_one_begins_no_run(sandbox: Sandbox, other: Sandbox) -> None:
    with ThreadPoolExecutor(1) as threads:
        last = threads.submit(other.run, WAITS)
        while not last.running():
            pass
        other.stop()
    with pytest.raises(SandboxError, match="stopped"):
        other.run("print(1)")
    assert (sandbox.on_other_core(), other.run("print(1)").stdout) == (other, b"1\n")  # the next may use it


def test_a_sandbox_of_one_given_core_has_none(backend: str) -> None:
    """As in a batch, where another problem is timed on each other core."""
    open_or_skip(backend).close()
    with open_sandbox(backend, options=Options(core=CORES[0])) as alone:
        assert alone.on_other_core() is None
