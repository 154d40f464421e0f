"""The time of a checked call is its own: what others had of the processor is no part of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from codeopt_sandbox.guest.calls import checking

Passes = Callable[[float, float, float], None]


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Passes:
    """Let seconds pass: of the clock, of the processor, and those in which others had it."""
    now = {"monotonic": 100.0, "process_time": 1.0, "own_runqueue_wait_s": 0.5}
    for name in now:
        monkeypatch.setattr(checking, name, lambda name=name: now[name])

    def let(*seconds: float) -> None:
        for name, more in zip(now, seconds, strict=True):
            now[name] += more

    return let


def test_what_was_waited_before_a_call_is_not_taken_off_it(passes: Passes) -> None:
    clock = checking.CallClock()
    passes(5.0, 0.0, 5.0)
    clock.start()
    passes(0.5, 0.0, 0.0)
    assert clock.took() == 0.5


def test_what_others_had_during_a_call_is_no_time_of_it(passes: Passes) -> None:
    clock = checking.CallClock()
    clock.start()
    passes(5.0, 0.5, 4.0)
    assert clock.took() == 1.0
    passes(3.0, 0.0, 3.0)
    clock.start()
    passes(2.0, 0.25, 0.0)
    assert clock.took() == 2.0
