"""The time of tests whose calls are recorded is their own: that of the recording is left out."""

from __future__ import annotations

from codeopt_sandbox.guest.tests.trace import PausedClock


def test_no_time_passes_while_the_clock_is_paused() -> None:
    clock = PausedClock()
    seen: list[float] = []

    def look(deeper: bool) -> None:
        seen.append(clock())
        if deeper:
            paused(False)
        seen.append(clock())

    paused = clock.pausing(look)
    before = clock()
    paused(True)
    after = clock()
    assert len(set(seen)) == 1
    assert before <= seen[0] <= after
