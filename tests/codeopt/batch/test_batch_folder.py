"""The files of a batch: what goes in comes out, and what does not belong together is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.batch.batch_folder import BatchFolder, ProblemResult, TimeSpent
from codeopt.batch.locks import locked
from codeopt.cli.main import main
from codeopt.core.errors import UsageError
from codeopt.core.model import Ledger, Message
from codeopt.core.run_store import SavedRun
from tests.support.filled_batch import history, problem, reply


def test_a_saved_problem_comes_back_as_it_was(store: BatchFolder) -> None:
    found = store.load("good")
    assert found is not None
    assert found.history == history("good")
    assert (found.ledger.rounds, found.held_out) == (2, {"small": False})
    assert store.problem("good") == problem("good")


def test_a_later_round_keeps_the_critique_that_came_after_the_one_before(store: BatchFolder) -> None:
    past = history("good").with_critique("thought better of it")
    longer = past.add(replace(past.last, round=3))
    store.save("good", SavedRun(longer, Ledger(rounds=3)), TimeSpent())
    found = store.load("good")
    assert found is not None
    assert found.history == longer


def test_begun_problems_come_first_and_ended_ones_not_at_all(store: BatchFolder) -> None:
    store.register([problem("later")])
    store.begin("later")
    assert store.left() == ["later", "open"]
    assert store.left(limit=5) == ["later"]


def test_failed_problems_are_tried_again_on_request_alone(store: BatchFolder) -> None:
    assert "failed" not in store.left()
    store.end("wrong", ProblemResult("skipped", "whatever its reason says", fault="busy"), TimeSpent())
    store.reopen_failed()
    assert set(store.left()) == {"failed", "wrong", "open"}


def test_every_problem_has_a_status_also_the_dropped_one(store: BatchFolder) -> None:
    assert Counter(store.status(each.id).status for each in store.problems()) == {
        "done": 5,
        "failed": 1,
        "skipped": 1,
        "pending": 1,
    }


def test_what_was_spent_is_the_sum_and_an_unknown_price_stays_unknown(store: BatchFolder) -> None:
    spent = store.spent()
    assert (spent.replies, spent.tokens, spent.cost_usd) == (5, 600, 2.5)
    store.add_exchange("good", 1, [Message("user", "again")], reply(cost=None))
    assert store.spent().cost_usd is None


def test_what_was_spent_is_known_without_a_look_at_the_problems(store: BatchFolder) -> None:
    """Asked for before each request: of a million problems that took 11 s."""
    others = BatchFolder(store.folder)
    assert others.spent().replies == 5
    (store.folder / "problems").rename(store.folder / "elsewhere")
    assert BatchFolder(store.folder).spent().replies == 5
    (store.folder / "elsewhere").rename(store.folder / "problems")
    store.add_exchange("good", 1, [Message("user", "again")], reply())
    assert others.spent().replies == store.spent().replies == 6


def test_what_an_earlier_version_has_spent_counts(store: BatchFolder) -> None:
    """It kept replies alone."""
    (store.folder / "usage.jsonl").unlink()
    old = BatchFolder(store.folder)
    assert old.spent().replies == 5
    old.register([])
    old.add_exchange("good", 1, [Message("user", "again")], reply())
    assert old.spent().replies == BatchFolder(store.folder).spent().replies == 6


def test_the_texts_of_problems_are_read_one_at_a_time(store: BatchFolder) -> None:
    problems = store.problems()
    first = next(problems)
    (store.folder / "problems").rename(store.folder / "elsewhere")
    with pytest.raises(UsageError):
        next(problems)
    assert first == problem("good")


def test_effort_adds_up_over_attempts(store: BatchFolder) -> None:
    assert store.status("good").time_spent == TimeSpent(4.0, 1.0, 0.5, 1.5, 9)


def test_a_paused_problem_goes_on(store: BatchFolder) -> None:
    store.begin("open")
    store.end("open", ProblemResult("paused", "the budget is spent"), TimeSpent())
    assert store.left() == ["open"]


def test_a_changed_program_is_refused(store: BatchFolder) -> None:
    with pytest.raises(UsageError, match="good has changed"):
        store.register([problem("good", "print(2)\n")])


def test_other_settings_are_refused_by_name(store: BatchFolder) -> None:
    with pytest.raises(UsageError, match="model was 'wire-model' and is 'other'"):
        store.require_same({"model": "other", "task": "runtime", "set": "pairs.jsonl"})


def test_a_reader_sees_a_batch_that_is_still_written(store: BatchFolder) -> None:
    reader = BatchFolder(store.folder)
    store.begin("open")
    assert reader.status("open").status == "running"


@pytest.mark.parametrize("content", [None, b"this is no batch at all"])
def test_no_batch_is_a_usage_error(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "batch.json").write_bytes(content)
    with pytest.raises(UsageError, match="batch"):
        BatchFolder(tmp_path)


@pytest.mark.parametrize("name", ["problem.json", "status.json", "state.json", "confirm.json", "replies.json"])
def test_a_broken_file_is_one_line(store: BatchFolder, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = store.run_folder("good") / name
    file.write_text(file.read_text()[:-9])
    assert main(["report", str(store.folder)]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("error: ")) == ("", 1)
    assert str(file.parent) in shown.err


def test_a_batch_of_another_version_is_refused(store: BatchFolder) -> None:
    store.set_facts(schema="codeopt.batch/99")
    with pytest.raises(UsageError, match="codeopt.batch/99"):
        BatchFolder(store.folder)


def test_a_folder_is_held_by_one_batch_at_a_time(store: BatchFolder) -> None:
    with locked(store.folder), pytest.raises(UsageError, match="another batch"), locked(store.folder):
        pass
    with locked(store.folder):
        pass


@pytest.mark.parametrize("id", ["a/b", "../a", ".", "", "a" * 300, "\u0141\n\x1b"])
def test_any_id_has_a_folder_of_its_own(store: BatchFolder, id: str) -> None:
    store.register([problem(id), problem("a_b")])
    assert store.run_folder(id).parent == store.folder / "problems"
    assert store.problem(id).id == id
    assert store.problem("a_b").id == "a_b"
