"""The clock of a command's profile: every second has one place."""

from __future__ import annotations

import pytest

from codeopt.report.stacks import Frame
from codeopt.workloads.project.profile import (
    CalledBy,
    ProjectProfile,
    Sample,
    make_profile,
)
from codeopt.workloads.project.watch import wait_lines
from codeopt_sandbox.outcome import Run

RUN = Run(exit=0, signal=None, stdout=b"", stderr=b"", wall_s=8.0, cpu_s=5.5, peak_bytes=0, runqueue_wait_s=1.0)
MODULE, MAIN = Frame("<module>", "m.py", 0), Frame("main", "m.py", 1)
OWNER, SPREAD = Frame("owner", "m.py", 5), Frame("spread", "m.py", 9)
PARTS = [Frame(f"part{n}", "m.py", 13 + 2 * n) for n in range(3)]


def profile() -> ProjectProfile:
    """Half a second of start, two of work in `owner`, three spread over what `spread` calls."""
    samples = [Sample((MODULE, MAIN, OWNER), 6, "json", False, 2.0)]
    samples += [Sample((MODULE, MAIN, SPREAD, part), part.line + 1, "", False, 1.0) for part in PARTS]
    calls = [CalledBy(OWNER, MAIN, 1), CalledBy(SPREAD, MAIN, 50), *(CalledBy(part, SPREAD, 50) for part in PARTS)]
    return make_profile(RUN, samples, calls, 0.5, {}, {})


def test_the_clock_is_accounted_for() -> None:
    found = {part.name: pytest.approx(part.seconds) for part in profile().clock}
    assert found == {
        "the project's own code": 3.0, "libraries that the project calls": 2.0, "waiting": 1.5,
        "waiting for a free core": 1.0, "start of the interpreter": 0.5,
    }  # fmt: skip
    assert sum(part.seconds for part in profile().clock) == pytest.approx(8.0)
    assert (profile().seconds, profile().waiting_share) == (7.0, pytest.approx(1.5 / 7))  # as on an idle machine
    waits = wait_lines([(["main"], 2, 0, "", False, 3.0), ([], 0, 0, "", True, 1.0)], lambda _: MAIN, RUN)
    assert sum(line.seconds for line in waits) == pytest.approx(1.5)
