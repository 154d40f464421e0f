"""What is said while something takes long: the clock goes on, also when nobody reports anything."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest

from codeopt.core import console
from codeopt.core.console import Console, estimate
from codeopt.core.run_clock import Stages


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(console, "TICK_S", 0.01)


def wait_for(capsys: pytest.CaptureFixture[str], lines: int) -> list[str]:
    said = ""
    end = time.monotonic() + 20
    while said.count("\n") < lines and time.monotonic() < end:
        said += capsys.readouterr().err
    return said.splitlines()


def test_nothing_is_said_before_something_is_done_or_when_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with Console(quiet=True) as silent, Console() as said:
        silent.progress("timing")
        time.sleep(0.2)  # nothing may come meanwhile
        said.print("a line")
    assert capsys.readouterr().err == "a line\n"


def test_what_is_left_counts_from_when_it_was_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    with Console() as said:
        said._began -= 300.0  # a second target, whose time is not that of the first
        said.allow(600.0)
        said.progress("timing")
        (line, *_) = wait_for(capsys, 1)
    assert re.fullmatch(r"  5:0\d  timing  at most (10:00|9:59) left", line)


STAGES = ("read", "draft", "judge", "confirm")


def test_the_time_that_is_left_follows_from_the_stages_so_far() -> None:
    now = time.monotonic()
    stages = Stages(STAGES, "read", typical={"read": 1.0, "draft": 0.5, "judge": 2.0, "confirm": 3.0})
    assert estimate(stages.left_s) == ""
    judging = replace(stages, now="judge", took={"read": 10.0, "draft": 1.0}, since=now - 5.0)
    assert estimate(judging.left_s) == "about 45 s left"
    again = replace(judging, took={"read": 10.0, "draft": 1.0, "judge": 6.0}, since=now - 60.0)
    assert estimate(again.left_s) == ""  # it takes longer than the first time: nothing is known
    assert estimate(replace(again, since=now - 2.0).left_s) == "about 35 s left"
    assert estimate(replace(judging, which="2 of 4").left_s) == ""
    assert estimate(judging.begun("").left_s) == ""
    assert (estimate(200.0), estimate(0.5)) == ("about 3 min left", "")
