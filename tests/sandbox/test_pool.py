"""Guests ready before they are asked for: real ones where what is in a guest matters, counted ones where order does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from codeopt_sandbox import Options, Sandbox, SandboxError
from codeopt_sandbox.pool import Guest, Pool
from tests.conftest import BACKENDS, open_or_skip
from tests.sandbox import machine
from tests.sandbox.machine import until


class Counted:
    """A pipe to nothing, which knows whether it was ended; only the pool's own work is looked at here."""

    def __init__(self) -> None:
        self.ended = 0

    def write(self, data: bytes) -> None:
        """Nobody reads."""

    def read(self, size: int, deadline: float) -> bytes:
        """Nobody writes."""
        return b""

    def kill(self) -> str:
        """Count."""
        self.ended += 1
        return ""


class Maker:
    """Starts guests, or fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.made: list[Counted] = []
        self.threads: set[int] = set()
        self._failures = failures

    def __call__(self) -> Guest:
        self.threads.add(threading.get_ident())
        if self._failures:
            self._failures -= 1
            raise SandboxError("no guest today")
        self.made.append(Counted())
        return Guest(self.made[-1], time.monotonic)

    def ended(self) -> list[int]:
        return [pipe.ended for pipe in self.made]


def test_without_spare_guests_each_is_started_when_asked_for() -> None:
    maker = Maker()
    pool = Pool(maker, spare=0)
    assert maker.made == []
    guest = pool.take()
    assert len(maker.made) == 1
    pool.retire(guest)
    assert maker.ended() == [1]
    pool.close()
    assert maker.threads == {threading.get_ident()}


def test_spare_guests_are_made_ahead_in_one_thread_of_their_own() -> None:
    maker = Maker()
    pool = Pool(maker, spare=2)
    assert until(lambda: len(maker.made) == 2)
    taken = pool.take()
    assert taken.pipe is maker.made[0]
    assert until(lambda: len(maker.made) == 3)
    assert len(maker.threads) == 1
    assert threading.get_ident() not in maker.threads
    pool.retire(taken)
    assert until(lambda: maker.ended()[0] == 1)
    pool.close()
    assert maker.ended() == [1, 1, 1]
    assert len(maker.made) == 3


def test_close_ends_everything_at_any_moment() -> None:
    for taken in range(4):
        maker = Maker()
        pool = Pool(maker, spare=2)
        for _ in range(taken):
            pool.retire(pool.take())
        pool.close()
        assert maker.ended() == [1] * len(maker.made)


def test_a_failure_is_told_once_and_then_tried_again() -> None:
    maker = Maker(failures=1)
    pool = Pool(maker, spare=1)
    with pytest.raises(SandboxError, match="no guest today"):
        pool.take()
    assert isinstance(pool.take(), Guest)
    pool.close()


def test_guests_that_are_ready_come_before_a_failure() -> None:
    maker = Maker()
    pool = Pool(maker, spare=1)
    assert until(lambda: len(maker.made) == 1)
    maker._failures = 1
    assert isinstance(pool.take(), Guest)
    with pytest.raises(SandboxError):
        pool.take()
    assert isinstance(pool.take(), Guest)
    pool.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_mistake_of_ours_is_an_error_and_no_hang() -> None:
    def broken() -> Guest:
        raise KeyError("ours")

    pool = Pool(broken, spare=1)
    with pytest.raises(KeyError):
        pool.take()
    pool.close()


def test_without_spare_guests_a_failure_is_told_each_time() -> None:
    pool = Pool(Maker(failures=2))
    for _ in range(2):
        with pytest.raises(SandboxError):
            pool.take()
    assert isinstance(pool.take(), Guest)


# --- real guests ---------------------------------------------------------------------------------

LEAVES = """
import os, time
open("left", "w").write("x")
if not os.fork():
    os.setsid()
    time.sleep(60)
"""
LOOKS = "import os; print(os.path.exists('left'), sum(p.isdigit() for p in os.listdir('/proc')))"


@pytest.fixture(params=BACKENDS)
def spare(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox with a guest in reserve."""
    with open_or_skip(str(request.param), options=Options(spare=1)) as opened:
        yield opened


def test_a_guest_that_ends_takes_nothing_from_the_next(spare: Sandbox) -> None:
    """The last guest is ended in the background while the next one works."""
    for number in range(4):
        spare.restart_guest()
        for _ in range(3):
            assert spare.run(f"open('x', 'w'); print({number})").stdout == b"%d\n" % number


def test_a_fresh_guest_has_nothing_of_the_last_one(spare: Sandbox) -> None:
    stdin = b"a secret of the last program" * 10
    spare.run(LEAVES, stdin)
    last = spare._guest
    assert last is not None
    assert sum(last.inputs.values()) == len(stdin)
    spare.restart_guest()
    exists, processes = spare.run(LOOKS).stdout.split()
    assert exists == b"False"
    assert processes == b"3" or not spare.isolated  # supervisor, interpreter, itself
    assert spare._guest is not None
    assert spare._guest is not last
    assert sum(spare._guest.inputs.values()) == 0


def test_the_spare_guest_is_another_one_and_ends_with_the_sandbox(spare: Sandbox) -> None:
    uids = machine.uids_of_runs(spare)
    spare.restart_guest()
    others = machine.uids_of_runs(spare)
    spare.run("import os, time; os.fork() or time.sleep(60)")
    spare.close()
    assert spare._guest is None
    assert len(spare._pool._ready) == len(spare._pool._used) == 0
    assert machine.until(lambda: not machine.processes_of(uids) + machine.processes_of(others))
