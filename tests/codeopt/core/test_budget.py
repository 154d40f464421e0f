"""Limits, and what was spent."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.model import Budget, Ledger, Reply, Usage

REPLY = Reply("text", tokens_in=100, tokens_out=20, cost_usd=0.25, seconds=1.0, model="m").usage
UNPRICED = replace(REPLY, cost_usd=None, estimated=True)


def ledger(*replies: Usage, rounds: int = 0, earlier_s: float = 0.0) -> Ledger:
    spent = Ledger(rounds=rounds, earlier_s=earlier_s)
    for reply in replies:
        spent = spent.add(reply)
    return spent


@pytest.mark.parametrize(
    ("spent", "budget", "reason"),
    [
        (ledger(REPLY, rounds=99, earlier_s=1e6), Budget(), ""),
        (ledger(rounds=3), Budget(rounds=4), ""),
        (ledger(rounds=4), Budget(rounds=4), "the limit of 4 rounds is reached"),
        (ledger(), Budget(rounds=0), "the limit of 0 rounds is reached"),
        (ledger(earlier_s=10), Budget(seconds=90_000), ""),
        (ledger(earlier_s=900), Budget(seconds=900), "the time limit of 900 s is reached"),
        (ledger(REPLY), Budget(cost_usd=0.25), "the limit of 0.25 USD is reached (0.2500 USD spent)"),
        (ledger(REPLY), Budget(cost_usd=0.3), ""),
        (ledger(REPLY, REPLY), Budget(cost_usd=0.3), "the limit of 0.3 USD is reached (0.5000 USD spent)"),
        (ledger(), Budget(cost_usd=0.3), ""),
        (ledger(REPLY, UNPRICED), Budget(cost_usd=9), "the limit of 9 USD cannot be held, as the price of the model "
         "is not known; give it in [prices] of your config.toml, or install genai-prices"),
    ],
)  # fmt: skip
def test_which_limit_is_met(spent: Ledger, budget: Budget, reason: str) -> None:
    assert spent.spent(budget) == reason


def test_the_clock_runs_on_from_where_a_saved_run_stopped() -> None:
    spent = replace(ledger(REPLY, UNPRICED, rounds=2), started=time.monotonic() - 50)
    resumed = spent.paused().resumed()
    assert resumed.seconds == pytest.approx(50, abs=5)
    assert replace(resumed, earlier_s=0.0, started=0.0) == replace(spent, earlier_s=0.0, started=0.0)


@pytest.mark.parametrize("limits", [{"rounds": -1}, {"cost_usd": -0.5}, {"seconds": float("nan")}])
def test_limits_below_nought_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="give 0 or more"):
        Budget(**limits)


@pytest.mark.parametrize(
    ("spent", "budget", "flag"),
    [
        (ledger(REPLY, rounds=4, earlier_s=900), Budget(rounds=4, seconds=900), "-n 8"),
        (ledger(REPLY, rounds=3, earlier_s=900), Budget(rounds=4, seconds=900, cost_usd=0.01), "--max-seconds 1800"),
        (ledger(REPLY), Budget(rounds=4, cost_usd=0.25), "--max-cost 0.5"),
        (ledger(UNPRICED), Budget(cost_usd=2), "--max-cost 4"),
    ],
)
def test_the_first_limit_that_is_reached_can_be_raised(spent: Ledger, budget: Budget, flag: str) -> None:
    assert budget.raised(spent.reached(budget)) == flag
    assert spent.reached(Budget()) == ""
