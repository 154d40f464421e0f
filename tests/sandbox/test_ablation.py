"""Programs timed next to each other, for choosing among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from codeopt_sandbox import Sandbox
from codeopt_sandbox.ablation import MAX_ROUNDS, time_variants
from codeopt_sandbox.compare import Plan, StoppingRule, make_plan
from codeopt_sandbox.outcome import Case, Run
from codeopt_sandbox.verdict import check_tokens

SLOW = "total = 0\nfor i in range({}):\n    total += i\nprint(7)\n"


def test_more_work_takes_longer_and_wrong_programs_have_no_time(sandbox: Sandbox) -> None:
    plan = make_plan(sandbox, SLOW.format(400_000), [Case("1", b"", b"7")], check_tokens, StoppingRule())
    programs = [SLOW.format(40_000), SLOW.format(400_000), "print(8)\n", "raise SystemExit(3)\n"]
    longer, *wrong = time_variants(sandbox, programs, plan, check_tokens, seconds=0.5)
    assert longer is not None
    assert longer > 2
    assert wrong == [None, None]


@pytest.mark.parametrize("first", ["print(8)\n", "1/0\n"])
def test_nothing_is_known_beside_a_wrong_program(sandbox: Sandbox, first: str) -> None:
    plan = make_plan(sandbox, "print(7)\n", [Case("1", b"", b"7")], check_tokens, StoppingRule())
    assert time_variants(sandbox, [first, "print(7)\n"], plan, check_tokens, seconds=0.1) == (None,)


class Stated:
    """The sandbox, with running times that are stated: so the verdict does not depend on the machine."""

    def __init__(self, sandbox: Sandbox, seconds: dict[str, float]) -> None:
        self.sandbox, self.seconds = sandbox, seconds
        self.ran: Counter[str] = Counter()

    def run(self, program: str, stdin: bytes = b"", **options: Any) -> Run:
        """A run that took what was stated."""
        self.ran[program] += 1
        return replace(self.sandbox.run(program, stdin, **options), cpu_s=self.seconds[program])

    def quiesce(self) -> None:
        """Return at once."""


def test_what_is_plainly_slower_does_not_run_as_often(sandbox: Sandbox) -> None:
    first, close, slower, much_slower = programs = [f"print(7)  # {number}\n" for number in range(4)]
    runner = Stated(sandbox, dict(zip(programs, [1.0, 1.01, 1.3, 4.0], strict=True)))
    plan = Plan((Case("1", b"", b"7"),), "cpu", 1)
    assert time_variants(runner, programs, plan, check_tokens) == pytest.approx((1.01, 1.3, 4.0))
    assert [runner.ran[program] for program in (close, slower, much_slower)] == [MAX_ROUNDS, 2, 1]
    assert time_variants(runner, [first, much_slower], plan, check_tokens) == pytest.approx((4.0,))


def test_a_long_program_runs_once_in_a_round_in_which_a_short_one_is_repeated(sandbox: Sandbox) -> None:
    short, long = programs = ["print(7)  # short\n", "print(7)  # long\n"]
    runner = Stated(sandbox, dict(zip(programs, [0.005, 0.25], strict=True)))
    plan = Plan((Case("1", b"", b"7"),), "cpu", 1)
    assert time_variants(runner, programs, plan, check_tokens) == pytest.approx((50.0,))
    assert (runner.ran[short], runner.ran[long]) == (5, 1)


@pytest.mark.parametrize(("took", "runs", "ratio"), [(3.0, 0, 3.0), (1.9, 1, 4.0)])
def test_a_program_that_was_known_to_be_twice_as_slow_is_not_run(
    sandbox: Sandbox, took: float, runs: int, ratio: float
) -> None:
    first, close, slower = programs = [f"print(7)  # {number}\n" for number in range(3)]
    runner = Stated(sandbox, dict(zip(programs, [1.0, 1.01, 4.0], strict=True)))
    plan = Plan((Case("1", b"", b"7"),), "cpu", 1)
    found = time_variants(runner, programs, plan, check_tokens, known={2: took})
    assert found == pytest.approx((1.01, ratio))
    assert (runner.ran[close], runner.ran[slower]) == (MAX_ROUNDS, runs)
    assert time_variants(runner, [first, slower], plan, check_tokens, known={1: 3.0}) == pytest.approx((3.0,))
