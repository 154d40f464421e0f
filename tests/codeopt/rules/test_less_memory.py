"""generator_for_list: what is the same, what is refused, and who is offered it."""

from __future__ import annotations

import pytest

from codeopt.core.options import ImproveOptions
from codeopt.engine.run_plan import make_plan
from tests.codeopt.rules.programs import rewritten


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print(sum([k * k for k in range(9)]))\n", "print(sum(k * k for k in range(9)))\n"),
        ("print(max([len(w) for w in 'a bc'.split()],))\n", "print(max((len(w) for w in 'a bc'.split()),))\n"),
        ("vs = [3, 4]\nprint(min([-v for v in vs]))\n", "vs = [3, 4]\nprint(min(-v for v in vs))\n"),
    ],
)  # fmt: skip
def test_no_list(before: str, after: str) -> None:
    assert rewritten("generator_for_list", before) == after


@pytest.mark.parametrize(
    "source",
    [
        "print(sum([k / 2 for k in range(9)]))\n",  # an error would come before later elements are made
        "print(any([k == 1 for k in range(9)]))\n",  # ruff's C419
        "it = iter([1])\nprint(sum([int(next(it)) for _ in range(2)]))\n",  # StopIteration, or RuntimeError
        "print(sum([(n := k) for k in range(9)]))\n",
        "print(max([k for k in range(9)], default=0))\n",
        "print(len([k for k in range(9)]), sorted([k for k in range(9)]))\n",
        "sum = list\nprint(sum([k for k in range(9)]))\n",
        "def f(vs):\n    return sum([v for v in vs])\nprint(f([1.5]))\n",
    ],
)
def test_a_list_stays(source: str) -> None:
    assert rewritten("generator_for_list", source) is None


@pytest.mark.parametrize(("task", "offered"), [("memory", True), ("runtime,memory", True), ("runtime", False)])
def test_it_is_offered_where_memory_is_compared(task: str, offered: bool) -> None:
    names = {rule.name for rule in make_plan(ImproveOptions(model="rules", task=task)).rules.built_in}
    assert ("generator_for_list" in names) is offered
    assert "counter" in names
