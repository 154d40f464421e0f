"""A sample shows the command at work, never the sampler itself."""

from __future__ import annotations

import json
import select
import signal
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from codeopt_sandbox.guest.profile.counter import Reach
from codeopt_sandbox.guest.profile.sampler import Places, Sampler
from codeopt_sandbox.guest.tests.trace import CallTimes
from codeopt_sandbox.guest_bundle import compiled


class Slow(Sampler):
    """The next signal comes while a sample is taken."""

    def key(self, frame: FrameType) -> Any:
        self.sample(0, sys._getframe())
        return super().key(frame)


HERE = str(Path(__file__).parent)


def test_a_signal_during_a_sample_is_none() -> None:
    sampler, handler = Slow(HERE, False, print), signal.signal(signal.SIGPROF, signal.SIG_IGN)
    sampler.arm()
    for _ in range(2):
        sampler.sample(0, sys._getframe())
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, handler)
    mine = f"/{Path(__file__).name}:{sys._getframe().f_code.co_firstlineno}"
    # threads of what runs the tests have no function here
    assert {stack[-1] for stack, *_ in sampler.seconds if stack} == {mine}
    assert sampler.samples == 2


def test_a_child_writes_its_first_sample_whatever_its_parent_wrote() -> None:
    """It may be terminated before its next one."""
    told: list[str] = []
    sampler, handler = Sampler(HERE, False, told.append), signal.signal(signal.SIGPROF, signal.SIG_IGN)
    sampler.arm_child()
    sum(range(100_000))
    sampler.sample(0, sys._getframe())
    at_once = tuple(told)
    sampler.disarm()
    signal.signal(signal.SIGPROF, handler)
    mine = f"/{Path(__file__).name}:{sys._getframe().f_code.co_firstlineno}"
    assert any(mine in json.loads(line.removeprefix("@ stack "))[0] for line in at_once)


def test_seconds_of_a_wait_are_those_in_which_nothing_works() -> None:
    """By wall time: the line that sleeps has them, and the one that computes has none."""
    sampler, handler = Sampler(HERE, True, print), signal.signal(signal.SIGALRM, signal.SIG_IGN)
    sampler.arm()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, handler)
    select.select([], [], [], 0.05)
    sampler.sample(0, sys._getframe())
    slept = sum(sampler.seconds.values())
    while time.perf_counter() < sampler.last + 0.05:
        pass
    sampler.sample(0, sys._getframe())
    assert 0.03 < slept < 0.5
    assert sum(sampler.seconds.values()) == slept


def test_the_sampler_is_no_part_of_a_project() -> None:
    place = "_codeopt_guest/profile/sampler.py"
    assert Places(str(Path.cwd())).of(compiled()[place]) == ""


def test_equal_functions_of_two_files_have_two_places(tmp_path: Path) -> None:
    """As code they are equal."""
    codes = [compile("def f():\n    return 1\n", str(tmp_path / name), "exec") for name in ("a.py", "b.py")]
    first, second = (next(each for each in code.co_consts if isinstance(each, CodeType)) for code in codes)
    assert first == second
    places, times = Places(str(tmp_path)), CallTimes([str(tmp_path / "b.py")], lambda place, whole, own: None)
    assert [places.of(first), places.of(second)] == ["/a.py:1", "/b.py:1"]
    assert [times.place(first), times.place(second)] == [None, (str(tmp_path / "b.py"), 1)]


def evaluate(hear: Callable[[FrameType, str, Any], None]) -> weakref.ref[CodeType]:
    code = compile("1 + 1", "<string>", "eval")
    sys.setprofile(hear)
    eval(code)
    sys.setprofile(None)
    return weakref.ref(code)


def test_code_of_eval_is_not_kept() -> None:
    """A program that evaluates a million texts keeps its memory limit."""
    times, reach = CallTimes([], lambda place, whole, own: None), Reach("/nowhere", print)
    assert [evaluate(hear)() for hear in (times.hear, reach.hear)] == [None, None]
