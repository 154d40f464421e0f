"""The argument by whose size large calls are kept."""

from __future__ import annotations

from typing import Any

import pytest

from codeopt_sandbox.guest.tests.wrappers import MIN_SAMPLED_CALLS, Schedule


def by_name(first: Any, *rest: Any, key: Any) -> None:
    """A parameter that no call gives by position."""


def by_position(first: Any, items: Any = ()) -> None:
    """A parameter that calls give both ways."""


@pytest.mark.parametrize(
    ("function", "learned", "large", "small"),
    [
        (by_name, ((1,), {"key": [1, 2]}), ((1, 2, 3), {"key": [0] * 999}), ((1, [0] * 99, 3), {"key": [1]})),
        (by_name, ((1, [1, 2]), {"key": 1}), ((1, [0] * 999), {"key": 1}), ((1, [1]), {"key": [0] * 999})),
        (by_position, ((1, [1, 2]), {}), ((1,), {"items": [0] * 999}), ((1, [1]), {})),
    ],
    ids=["by its name alone", "an item of the rest", "by position or name"],
)
def test_a_large_call_is_looked_at(function: Any, learned: Any, large: Any, small: Any) -> None:
    schedule = Schedule()
    schedule.taken(function, *learned)
    schedule.left = MIN_SAMPLED_CALLS
    assert schedule.is_due(*large)
    assert not schedule.is_due(*small)
