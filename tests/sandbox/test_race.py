"""Programs timed next to each other, for choosing among them."""

from __future__ import annotations

import pytest

from sandbox import Sandbox
from sandbox.compare import Rule, make_plan
from sandbox.judge import check_tokens
from sandbox.outcome import Case
from sandbox.race import race

SLOW = "total = 0\nfor i in range({}):\n    total += i\nprint(7)\n"


def test_more_work_takes_longer_and_wrong_programs_have_no_time(sandbox: Sandbox) -> None:
    plan = make_plan(sandbox, SLOW.format(400_000), [Case("1", b"", b"7")], check_tokens, Rule())
    programs = [SLOW.format(40_000), SLOW.format(400_000), "print(8)\n", "raise SystemExit(3)\n"]
    longer, *wrong = race(sandbox, programs, plan, check_tokens, seconds=0.5)
    assert longer is not None
    assert longer > 2
    assert wrong == [None, None]


@pytest.mark.parametrize("first", ["print(8)\n", "1/0\n"])
def test_nothing_is_known_beside_a_wrong_program(sandbox: Sandbox, first: str) -> None:
    plan = make_plan(sandbox, "print(7)\n", [Case("1", b"", b"7")], check_tokens, Rule())
    assert race(sandbox, [first, "print(7)\n"], plan, check_tokens, seconds=0.1) == (None,)
