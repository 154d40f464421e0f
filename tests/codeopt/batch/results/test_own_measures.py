"""A batch of a task whose measure is not the speedup speaks its words: table, JSON, CSV, page."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.batch.batch_folder import BatchFolder, ProblemResult, TimeSpent
from codeopt.batch.results.metrics import measure_batch
from codeopt.batch.results.page import page
from codeopt.batch.results.table import as_json, own_rows, render, write_csv
from codeopt.core.history import Candidate, History, Preference, Preferred, TaskMeasure, TaskScore
from codeopt.core.model import Ledger
from codeopt.core.revision import Revision
from codeopt.core.run_store import SavedRun
from tests.support.candidates import SLOW, outcome
from tests.support.filled_batch import draft, problem

SCORES = {"won": (0.4, 0.8, Preferred.SECOND), "tied": (0.6, 0.9, Preferred.NEITHER), "unread": (0.5, 0.5, None)}
"""Of each problem the score before and after, and what the reader preferred; None: nobody was asked."""


@pytest.fixture
def store(tmp_path: Path) -> BatchFolder:
    store = BatchFolder(tmp_path / "run", create=True)
    store.register([problem(name) for name in SCORES])
    for name, (before, after, winner) in SCORES.items():
        task_score = TaskScore(
            "readability", before, after, "more readable", (TaskMeasure("comments", 0.0, 0.2, "%"),), "pace"
        )
        made = replace(draft(1, 1.1), task_score=task_score)
        store.begin(name)
        past = History((Candidate(0, Revision.of(SLOW), "the original", (outcome(),)), made))
        store.save(name, SavedRun(past, Ledger(rounds=1)), TimeSpent())
        confirmed = replace(made, preference=winner and Preference(winner, "names"))
        best = confirmed if winner is Preferred.SECOND else None
        if winner:
            store.keep(name, "confirm" if best else "refused", confirmed)
        store.end(name, ProblemResult("done", "round 1", "enough", best=best), TimeSpent())
    store.require_same({"model": "wire-model", "task": "readability", "set": "pairs.jsonl"})
    return store


def test_the_score_before_and_after_and_who_was_preferred(store: BatchFolder) -> None:
    """What was not accepted counts as it was."""
    own = measure_batch(store).own
    assert own is not None
    assert (own.name, own.asked) == ("readability", 2)
    assert own.improved.value == pytest.approx(1 / 3)
    assert own.before.value == pytest.approx(0.5)
    assert own.after.value == pytest.approx((0.8 + 0.6 + 0.5) / 3)
    assert own.preferred is not None
    assert own.preferred.value == 0.5
    assert own.preferred.low is not None
    assert [(m.name, m.before, round(m.after, 4)) for m in own.measures] == [("comments", 0.0, round(0.2 / 3, 4))]


def test_in_every_form(store: BatchFolder) -> None:
    found = measure_batch(store)
    text, rows = io.StringIO(), io.StringIO()
    render(found, text, verbose=True)
    assert "readability, results" in text.getvalue()
    assert "0.63" in text.getvalue()
    assert "preferred by a reader, of 2 asked about" in dict(own_rows(found))
    write_csv(found, rows)
    won = next(row for row in csv.DictReader(io.StringIO(rows.getvalue())) if row["problem"] == "won")
    assert (won["task_before"], won["task_after"]) == ("0.4", "0.8")
    data = json.loads(json.dumps(as_json(found)))
    assert data["task"]["preferred"]["share"] == 0.5
    told = data["rows"][0]["task_score"]
    assert (told["name"], told["before"], told["after"], told["remark"]) == ("readability", 0.4, 0.8, "pace")
    assert told["measures"][0]["after"] == 0.2
    whole = "".join(page(store, found))
    assert "readability 0.40 -&gt; 0.80: comments 0 -&gt; 20 %" in whole
    assert "preferred by a reader" in whole


def test_the_runtime_task_has_none(store: BatchFolder) -> None:
    store.set_facts(settings={"task": "runtime"})
    found = measure_batch(store)
    assert found.own is None
    assert as_json(found)["task"] is None
    assert as_json(found)["rows"][0]["task_score"] is None
