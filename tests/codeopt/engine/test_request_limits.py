"""The limits of money, tokens and time hold for each request to a model's server, whatever that does."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from codeopt.core.console import Console
from codeopt.core.model import Budget, Ledger, Message
from codeopt.core.run_clock import DeadlineReached, LimitReached, RunClock
from codeopt.engine.open_session import Account, AwaitedModel
from codeopt.models import Price, open_model
from tests.codeopt.command import FAST, QUICK, Done, codeopt, reply, write_problem
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer
from tests.support.wire_steps import StepLike, hang, slowly

QUESTION = [Message("user", "word " * 3000)]
"""5,001 tokens by estimate, 3,000 by the server's count."""
ANSWER = "word " * 1000


def asked(steps: list[StepLike], budget: Budget, price: Price | None, count: int, clock: RunClock) -> tuple[int, float]:
    """Ask for some answers; return the number of requests sent, and the USD spent."""
    account = Account(budget, Ledger())
    with WireServer(steps) as server:
        model = open_model("m", base_url=server.base_url, prices={"m": price} if price else {})
        limited = AwaitedModel(model, Console(quiet=True), account, clock, price)
        try:
            for number in range(count):
                try:
                    assert limited.complete(QUESTION).text
                except LimitReached as error:
                    if not number or isinstance(error, DeadlineReached):
                        raise
                    break
        finally:
            sent = len(server.requests)
    return sent, account.ledger.usage.cost_usd or 0.0


@pytest.mark.parametrize(
    ("budget", "price", "sent"),
    [
        (Budget(cost_usd=0.5), Price(10.0, 10.0), 6),  # 0.04 USD each
        (Budget(cost_usd=0.5), Price(40.0, 40.0), 2),  # 0.16 each, 0.24 by the estimate before it is sent
        (Budget(cost_usd=0.5), Price(0.0, 450.0), 1),  # all of it for the answer: the first shows what one costs
        (Budget(cost_usd=0.5), None, 1),  # without a price the limit cannot be held
        (Budget(), None, 6),
    ],
)  # fmt: skip
def test_no_more_is_asked_for_than_the_limit_can_pay(budget: Budget, price: Price | None, sent: int) -> None:
    found, cost = asked([ANSWER] * 6, budget, price, 6, RunClock())
    assert found == sent
    assert budget.cost_usd is None or cost <= budget.cost_usd


def test_a_prompt_that_costs_more_than_the_limit_is_not_sent() -> None:
    with pytest.raises(LimitReached) as error:
        asked([ANSWER], Budget(cost_usd=0.5), Price(1000.0, 0.0), 1, RunClock())
    assert error.value.limit == "cost_usd"
    assert "0.0000 USD spent, the next request costs about 5.0010 USD" in error.value.words


@pytest.mark.parametrize("steps", [[hang()], [hang("so far")], [slowly("word " * 500, first_s=0.0, piece_s=0.1)]])
@pytest.mark.parametrize("count", [1, 3])
def test_a_request_is_given_up_at_the_deadline(steps: list[StepLike], count: int) -> None:
    """No thread waits on, which would keep the process."""
    with pytest.raises(DeadlineReached):
        asked(steps * count, Budget(), None, count, RunClock(0.5))
    assert [each for each in threading.enumerate() if not each.daemon] == [threading.main_thread()]


@pytest.mark.full
def test_the_best_so_far_is_delivered_when_the_server_falls_silent(tmp_path: Path) -> None:
    done = improved(tmp_path, ["hm\nVERDICT: IMPROVE", reply(FAST), hang()], "--max-seconds", "40")
    assert done.json["stop_reason"] == "the time limit of 40 s is reached", done.err
    assert [each["verdict"] for each in done.json["rounds"]] == ["faster"]


def improved(folder: Path, steps: list[StepLike], *flags: str, **env: str) -> Done:
    require_sandbox()
    write_problem(folder, words=1200)
    with WireServer(steps) as server:
        where = ("--base-url", server.base_url, "--model", server.model)
        return codeopt("improve", "slow.py", "--json", *where, *QUICK, *flags, cwd=folder, env=env)
