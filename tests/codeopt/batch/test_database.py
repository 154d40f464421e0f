"""The database of a batch: what goes in comes out, and what does not belong together is refused."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.batch.database import BatchStore
from codeopt.batch.locks import locked
from codeopt.batch.records import ProblemResult, Spent, TimeSpent
from codeopt.core.budget import Ledger
from codeopt.core.errors import UsageError
from codeopt.core.model import Message
from tests.support.filled_batch import history, problem, reply


def test_a_saved_problem_comes_back_as_it_was(store: BatchStore) -> None:
    found = store.load("good")
    assert found is not None
    past, ledger, suite = found
    assert past == history("good")
    assert (ledger.rounds, suite) == (2, {"small": False})
    assert store.problem("good") == problem("good")


def test_a_later_round_keeps_the_critique_that_came_after_the_one_before(store: BatchStore) -> None:
    past = history("good").with_critique("thought better of it")
    longer = past.add(replace(past.last, round=3))
    store.save("good", longer, Ledger(rounds=3), {}, TimeSpent())
    found = store.load("good")
    assert found is not None
    assert found[0] == longer


def test_of_rounds_that_were_not_made_from_the_newest_every_one_is_saved_anew(store: BatchStore) -> None:
    """A critique can be of any of them then."""
    past = history("good")
    first = replace(past.candidates[1], critique="a second thought", chain=1)
    forked = past.changed(first).add(replace(past.last, round=3, chain=2, parents=(1,)))
    store.save("good", forked, Ledger(rounds=3), {}, TimeSpent())
    found = store.load("good")
    assert found is not None
    assert found[0] == forked


def test_raw_timings_and_verdicts_can_be_queried(store: BatchStore) -> None:
    pairs = store.db.execute(
        "SELECT name, pair, original, candidate FROM timing WHERE problem = 'good' AND round = 1 AND stage = 'round'"
    ).fetchall()
    assert [tuple(row) for row in pairs] == [
        ("secret-big", 0, 1.6, 0.8), ("small", 0, 0.8, 0.4), ("small", 1, 0.8, 0.4),
    ]  # fmt: skip
    assert store.db.execute("SELECT verdict FROM verdict WHERE problem = 'wrong' AND round = 1").fetchone()[0] == "WA"


def test_begun_problems_come_first_and_ended_ones_not_at_all(store: BatchStore) -> None:
    store.register([problem("later")])
    store.begin("later")
    assert store.left() == ["later", "open"]
    assert store.left(limit=5) == ["later"]


def test_failed_problems_are_tried_again_on_request_alone(store: BatchStore) -> None:
    assert "failed" not in store.left()
    store.end("wrong", ProblemResult("dropped", "whatever its reason says", fault="busy"), TimeSpent())
    store.reopen_failed()
    assert set(store.left()) == {"failed", "wrong", "open"}


def test_every_problem_has_a_row_also_the_dropped_one(store: BatchStore) -> None:
    assert store.counts() == {"done": 5, "failed": 1, "dropped": 1, "pending": 1}


def test_what_was_spent_is_the_sum_and_an_unknown_price_stays_unknown(store: BatchStore) -> None:
    assert store.spent() == Spent(5, 600, 2.5)
    store.add_exchange("good", 1, [Message("user", "again")], reply(cost=None))
    assert store.spent().cost_usd is None


def test_effort_adds_up_over_attempts(store: BatchStore) -> None:
    row = store.db.execute(
        "SELECT seconds, waited_s, asking_s, programs_s, runs FROM problem WHERE id = 'good'"
    ).fetchone()
    assert tuple(row) == (4.0, 1.0, 0.5, 1.5, 9)


def test_a_paused_problem_goes_on(store: BatchStore) -> None:
    store.begin("open")
    store.end("open", ProblemResult("paused", "the budget is spent"), TimeSpent())
    assert store.left() == ["open"]


def test_a_changed_program_is_refused(store: BatchStore) -> None:
    with pytest.raises(UsageError, match="good has changed"):
        store.register([problem("good", "print(2)\n")])


def test_other_settings_are_refused_by_name(store: BatchStore) -> None:
    with pytest.raises(UsageError, match="model was 'wire-model' and is 'other'"):
        store.require_same({"model": "other", "task": "runtime", "set": "pairs.jsonl"})


def test_a_reader_sees_a_batch_that_is_still_written(store: BatchStore) -> None:
    with BatchStore(store.folder) as reader:
        store.begin("open")
        assert reader.counts()["running"] == 1


@pytest.mark.parametrize("content", [None, b"this is no database at all, but long enough to look at"])
def test_no_batch_is_a_usage_error(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "batch.sqlite").write_bytes(content)
    with pytest.raises(UsageError, match="batch"):
        BatchStore(tmp_path)


def test_a_batch_of_another_version_is_refused(store: BatchStore) -> None:
    store.set_meta("schema", "codeopt.batch/99")
    with pytest.raises(UsageError, match="codeopt.batch/99"):
        BatchStore(store.folder)


def test_a_folder_is_held_by_one_batch_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path / "run"), pytest.raises(UsageError, match="another batch"), locked(tmp_path / "run"):
        pass
    with locked(tmp_path / "run"):
        pass


def test_the_documented_columns_are_there(store: BatchStore) -> None:
    db = sqlite3.connect(store.folder / "batch.sqlite")
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    db.close()
    assert {"meta", "problem", "candidate", "verdict", "timing", "exchange", "event"} <= tables
