"""Nothing is paid for twice, everybody waits when the server says so, and a limit of money is held."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from codeopt.batch.batch_folder import FORGET_S, MAX_JITTER, MAX_PAUSE_S, Backoff, BatchFolder
from codeopt.batch.locks import request_slot
from codeopt.batch.problem_job import MAX_TRIES, BudgetSpent, CachedModel, PaidReplies, why_skipped
from codeopt.core.errors import ModelError, UsageError
from codeopt.core.model import Message, Reply
from codeopt.models import open_model
from tests.support.filled_batch import problem
from tests.support.wire_server import WireServer
from tests.support.wire_steps import StepLike, cut, garbage, status

ASK = [Message("user", "faster, please")]
Open = Callable[..., CachedModel]


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def backoff(tmp_path: Path, clock: Clock) -> Backoff:
    return Backoff(tmp_path / "backoff", 1.0, clock.sleep, clock)


@pytest.fixture
def paid_store(tmp_path: Path) -> BatchFolder:
    store = BatchFolder(tmp_path, create=True)
    store.register([problem("p")])
    return store


@pytest.fixture
def open_paid(wire: Callable[..., WireServer], paid_store: BatchFolder, backoff: Backoff) -> Open:
    def start(steps: list[StepLike], first: int = 0, may_spend: Callable[[], None] = lambda: None) -> CachedModel:
        model = open_model("m", base_url=wire(steps).base_url, max_retries=0)
        return CachedModel(model, PaidReplies(paid_store, "p", first), backoff, may_spend, lambda line: None)

    return start


def test_a_reply_is_kept_before_it_is_used_and_not_asked_for_again(open_paid: Open, paid_store: BatchFolder) -> None:
    assert open_paid(["one"]).complete(ASK).text == "one"
    again = open_paid(["two"])  # the worker was killed before the round was saved: no reply was used
    assert [again.complete(ASK).text for _ in range(2)] == ["one", "two"]
    after = open_paid(["three"], first=1)  # the round with the first reply was saved
    assert [after.complete(ASK).text for _ in range(2)] == ["two", "three"]
    assert paid_store.spent().replies == 3


@pytest.mark.parametrize("trouble", [status(429), status(500), status(503), cut("half of it", after=1), garbage()])
def test_one_failure_is_got_over_and_noted(open_paid: Open, paid_store: BatchFolder, trouble: StepLike) -> None:
    assert open_paid([trouble, trouble, "at last"]).complete(ASK).text == "at last"
    assert len((paid_store.folder / "events.jsonl").read_text().splitlines()) == 2


def test_a_server_that_never_recovers_is_an_error_after_some_tries(open_paid: Open, clock: Clock) -> None:
    with pytest.raises(ModelError, match="500"):
        open_paid([status(500, retry_after="x")] * MAX_TRIES).complete(ASK)
    assert clock.slept == [1, 2, 4, 8, 16]


def test_a_refused_key_is_not_tried_again(open_paid: Open, clock: Clock) -> None:
    with pytest.raises(ModelError, match="401"):
        open_paid([status(401)]).complete(ASK)
    assert clock.slept == []


def test_all_workers_share_the_pause_and_it_doubles(backoff: Backoff, clock: Clock) -> None:
    assert backoff.refused() == 1.0
    assert backoff.refused() == pytest.approx(1.0)  # another worker, at the same moment
    other = Backoff(backoff.path, 1.0, clock.sleep, clock)
    assert 1.0 <= other.wait() <= 1.2
    assert other.refused() == 2.0
    assert 2.0 <= backoff.wait() <= 2.3
    assert backoff.wait() == 0.0
    assert backoff.refused(wait_s=7.0) == 7.0


def test_no_pause_is_longer_than_the_longest_and_a_new_one_is_short_again(backoff: Backoff, clock: Clock) -> None:
    assert backoff.refused(wait_s=86_400.0) == MAX_PAUSE_S == 120.0
    assert backoff.wait() <= MAX_PAUSE_S * (1 + MAX_JITTER)
    assert backoff.refused() == MAX_PAUSE_S  # twice as long is too long
    backoff.wait()
    clock.now += FORGET_S + MAX_PAUSE_S
    assert backoff.refused() == 1.0


def test_the_server_says_how_long(open_paid: Open, clock: Clock) -> None:
    open_paid([status(429, retry_after="20"), "at last"]).complete(ASK)
    assert sum(clock.slept) >= 20


def test_a_broken_pause_file_is_no_pause(backoff: Backoff) -> None:
    backoff.path.write_text("half a li")
    assert backoff.wait() == 0.0


def test_nothing_is_asked_when_nothing_may_be_spent(open_paid: Open) -> None:
    def refuse() -> None:
        raise BudgetSpent("enough")

    with pytest.raises(BudgetSpent):
        open_paid([], may_spend=refuse).complete(ASK)


def test_models_that_take_turns_share_what_is_paid_for(
    wire: Callable[..., WireServer], paid_store: BatchFolder, backoff: Backoff
) -> None:
    model = open_model("m", base_url=wire(["one", "two"]).base_url, max_retries=0)
    paid = PaidReplies(paid_store, "p", 0)
    first, second = (CachedModel(model, paid, backoff, lambda: None, lambda line: None) for _ in range(2))
    assert [first.complete(ASK).text, second.complete(ASK).text] == ["one", "two"]
    assert [reply.text for reply in paid_store.exchanges("p", 0)] == ["one", "two"]


class Busy:
    """A model that takes a moment, and counts how many ask at a time."""

    name, context_tokens = "busy", 1000

    def __init__(self) -> None:
        self._lock, self._under_way, self.most = threading.Lock(), 0, 0

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        with self._lock:
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        time.sleep(0.1)  # nothing may come meanwhile
        with self._lock:
            self._under_way -= 1
        return Reply("an answer", 1, 1, None, 0.1, self.name)


def test_no_more_requests_at_a_time_than_are_allowed(tmp_path: Path, paid_store: BatchFolder, backoff: Backoff) -> None:
    """Of six workers."""
    busy = Busy()
    slot = partial(request_slot, str(tmp_path), 2)
    paid = [PaidReplies(paid_store, str(number), 0) for number in range(6)]
    models = [CachedModel(busy, each, backoff, lambda: None, lambda line: None, slot) for each in paid]
    with ThreadPoolExecutor(6) as workers:
        found = list(workers.map(lambda model: model.complete(ASK).text, models))
    assert found == ["an answer"] * 6
    assert busy.most == 2


@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        ("give --cases DIR or --stdin FILE", "it has no cases"),
        ("raise it with --timeout", "it has no cases (raise it with --timeout)"),
        ("", "it has no cases"),
    ],
)
def test_a_skipped_problem_names_only_flags_of_a_batch(hint: str, shown: str) -> None:
    assert why_skipped(UsageError("it has no cases", hint=hint)) == shown
