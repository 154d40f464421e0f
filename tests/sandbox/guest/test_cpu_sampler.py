"""A sample shows the command at work, never the sampler itself."""

from __future__ import annotations

import signal
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from codeopt_sandbox.guest.tests.call_times import CallTimes
from codeopt_sandbox.guest.tests.cpu_sampler import CpuSampler
from codeopt_sandbox.guest.tests.project_reach import Reach
from codeopt_sandbox.guest.tests.project_time import Places
from codeopt_sandbox.guest_bundle import compiled


class Slow(CpuSampler):
    """The next signal comes while a sample is taken."""

    def key(self, frame: FrameType) -> str:
        self.sample(0, sys._getframe())
        return frame.f_code.co_name


def test_a_signal_during_a_sample_is_none() -> None:
    sampler = Slow()
    for _ in range(2):
        sampler.sample(0, sys._getframe())
    assert set(sampler.seconds) == {"test_a_signal_during_a_sample_is_none"}
    assert sampler.samples == 2


class Told(CpuSampler):
    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def key(self, frame: FrameType) -> str:
        return frame.f_code.co_name

    def tell(self, key: str, seconds: float) -> None:
        self.told.append(key)


def test_a_child_writes_its_first_sample_whatever_its_parent_wrote() -> None:
    """It may be terminated before its next one."""
    sampler, handler = Told(), signal.signal(signal.SIGPROF, signal.SIG_IGN)
    sampler.written = time.process_time() + 100
    sampler.arm_child()
    sum(range(100_000))
    sampler.sample(0, sys._getframe())
    told = tuple(sampler.told)
    sampler.disarm()
    signal.signal(signal.SIGPROF, handler)
    assert told == ("test_a_child_writes_its_first_sample_whatever_its_parent_wrote",)


def test_the_sampler_is_no_part_of_a_project() -> None:
    place = "_codeopt_guest/tests/cpu_sampler.py"
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
