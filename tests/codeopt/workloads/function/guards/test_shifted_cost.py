"""What objects take more to make, where the calls of a pass ask one; and answers kept from one pass to the next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.core.revision import Revision
from codeopt.engine.guards import Consequence
from codeopt.workloads.function.guards.shifted_cost import (
    SAVED_S,
    PassSeconds,
    _looks_shifted,
    _object_setup_cost,
    _remembers,
)
from codeopt.workloads.function.timing import Timed
from codeopt_sandbox.calls import CallBatch, CallTiming
from codeopt_sandbox.guest.request import batch_of

CALLS = tuple(f"f(unpickle('x'), {at})" for at in range(100))


class Making:
    """Runs that take so many seconds to make the arguments of a pass."""

    def __init__(self, **seconds: float) -> None:
        self.seconds = seconds
        self.shared: set[bool] = set()

    def run(self, side: Revision, stdin: bytes) -> Any:
        self.shared.add(b"'shared': True" in stdin)
        return SimpleNamespace(call_timing=SimpleNamespace(given_s=self.seconds[side.text]))


@pytest.mark.parametrize(
    ("seconds", "consequence"),
    [
        (0.100, None),
        (0.109, None),  # noise
        (0.120, Consequence.CAVEAT),  # 0.2 ms an object: 20 calls that take 10 us less
        (0.240, Consequence.NO_GAIN),
    ],
)
def test_objects_that_take_longer_to_make(seconds: float, consequence: Consequence | None) -> None:
    runner: Any = Making(old=0.1, new=seconds)
    timed = Timed(CallBatch(CALLS, "time", shared=True), 0.01, 0.1, "", asked=10.0)
    found = _object_setup_cost(runner, (Revision.of("old"), Revision.of("new")), timed, 0.001)
    assert (found and found.consequence) == consequence
    assert runner.shared == {False}
    if found and consequence is Consequence.CAVEAT:
        makes_up = "20 calls of it make up for that; the known ones ask an object 10 times"
        assert [each.words for each in found.caveats] == [f"an object takes 200 us more to make ({makes_up})"]


@pytest.mark.parametrize(
    ("was", "now", "remembers"),
    [
        ([(2.0, 2.0)] * 3, [(0.2, 0.2)] * 3, False),
        ([(2.0, 2.0)] * 3, [(2.0, 0.2)] * 3, True),
        ([(2.0, 2.0)] * 3, [(1.3, 0.2)] * 3, True),
        ([(2.0, 2.0)] * 3, [(0.4, 0.2)] * 3, False),  # something is cold
        ([(0.02, 0.02)] * 3, [(0.025, 0.01)] * 3, False),  # so little says nothing
        ([(2.0, 2.0)] * 3, [(1.8, 1.8)] * 3, False),
        # at half the speed, some of them
        ([(4.0, 4.0), (4.1, 3.9), (2.0, 2.0)], [(2.0, 0.2), (4.1, 0.4), (2.0, 0.2)], True),
        ([(2.0, 2.0)] * 3, [(4.0, 0.4)] * 3, True),
        ([(4.0, 4.0), (4.1, 3.9), (2.0, 2.0)], [(0.2, 0.2), (0.4, 0.4), (0.4, 0.4)], False),
        ([(4.0, 4.0)] * 3, [(1.9, 1.9)] * 3, False),
        ([(2.0, 4.0), (4.0, 2.0), (2.0, 2.0)], [(0.4, 0.2), (0.2, 0.2), (0.2, 0.4)], False),
        ([(2.0, 4.0), (2.0, 2.0), (2.0, 2.0)], [(0.4, 0.2), (0.2, 0.2), (0.2, 0.4)], False),
    ],
)
def test_a_gain_must_be_there_in_the_first_pass(
    was: list[tuple[float, float]], now: list[tuple[float, float]], remembers: bool
) -> None:
    """Milliseconds of the first pass of a run and of each later one."""
    old, new = ([PassSeconds(first / 1000, later / 1000) for first, later in runs] for runs in (was, now))
    assert _remembers(old, new) is remembers


class TwoSpeeds:
    """Runs of calls that take 10 ms a pass on a machine whose speed changes, and next to nothing of a draft, which does
    `moved` of that elsewhere, and whose objects the harness looks at for `looked` of it; a hundredth of that at those
    of the original. All else takes 25 ms a run, and 5 ms a pass. By the other clock, both take the same."""

    def __init__(self, speeds: Iterator[float], moved: float, looked: float, objects: bool, wall: bool) -> None:
        self.speeds, self.moved, self.looked, self.others = speeds, moved, looked, dict[Revision, Any]()
        self.objects = objects
        self.wall = wall
        self.kept: dict[str, list[CallTiming]] = {"old": [], "new": []}
        self.seconds: list[float] = []

    def run(self, side: Revision, stdin: bytes) -> Any:
        slow, passes = next(self.speeds), batch_of(stdin).passes
        took = 0.010 * slow if side.text == "old" else 0.0001 * slow
        is_old = side.text == "old"
        more, looked = (
            0.010 * self.moved * (not is_old),
            0.010 * self.looked * passes * (self.objects / 100 if is_old else 1),
        )
        outside = slow * (0.025 + passes * (0.005 + more)) + looked
        each = (took,) * passes
        cpu, wall = ((1.0,) * passes, each) if self.wall else (each, (1.0,) * passes)
        self.kept[side.text].append(CallTiming(outside, 0.005 * slow, cpu, wall, 0.0, looked_s=looked))
        self.seconds.append(sum(each))
        return SimpleNamespace(call_timing=self.kept[side.text][-1], cpu_s=sum(cpu), wall_s=sum(wall))

    def timings(self, side: Revision, stdin: bytes | None = None) -> list[CallTiming]:
        return self.kept[side.text]


@pytest.mark.parametrize(
    "speeds",
    [(1, 1), (2, 2), (2, 2, 1, 1), (1, 1, 2, 2, 2, 2), (2, 1, 1, 1, 1, 1), (1, 2, 1, 1, 2, 2), (2, 2, 1, 2, 1, 1)],
    ids=str,
)
@pytest.mark.parametrize(
    ("moved", "looked", "objects"),
    [(0.0, 0.0, True), (0.0, 5.0, True), (1.0, 0.0, True), (1.0, 5.0, True), (0.0, 5.0, False)],
)
@pytest.mark.parametrize("wall", [False, True])
def test_work_that_is_moved_shows_at_each_speed(
    speeds: tuple[int, ...], moved: float, looked: float, objects: bool, wall: bool
) -> None:
    """The plan knows the slow speed alone; one whole run of a side may have another speed than the one beside it."""
    old, new = Revision.of("old"), Revision.of("new")
    runner: Any = TwoSpeeds(cycle((1, 1)), moved, looked, objects, wall)
    for side in (old, new):
        runner.run(side, CallBatch(CALLS, "time", passes=2).stdin())
    runner.speeds = cycle(speeds)
    timed = Timed(CallBatch(CALLS, "time"), 0.028, 0.045, "")
    found = _looks_shifted(runner, old, new, timed, wall, 100.0)
    assert (found and found.consequence) == (Consequence.NO_GAIN if moved or looked and not objects else None)
    assert runner.seconds[2] >= SAVED_S
