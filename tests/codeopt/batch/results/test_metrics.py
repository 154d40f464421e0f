"""The field's metrics on a batch whose figures are known, and every form in which they are given out."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema
import pytest

from codeopt.batch.batch_folder import BatchFolder, ProblemResult, TimeSpent
from codeopt.batch.locks import locked
from codeopt.batch.results.metrics import Metrics, measure_batch, versus
from codeopt.batch.results.table import render
from codeopt.cli.main import main
from codeopt.core.history import Candidate, History
from codeopt.core.model import Ledger
from codeopt.core.revision import Revision
from codeopt.core.run_store import SavedRun
from codeopt.report.answers import ReportJson
from codeopt_sandbox.outcome import CaseVerdict
from tests.support.candidates import FAST, outcome
from tests.support.filled_batch import HOSTILE, draft, history, problem


@pytest.fixture
def found(store: BatchFolder) -> Metrics:
    return measure_batch(store)


def test_shares_and_speedups_by_hand(found: Metrics) -> None:
    assert found.opt.value == pytest.approx(2 / 6)  # 4.0 and 3.0; 1.05 is below the threshold
    assert found.correct.value == pytest.approx(4 / 6)
    assert found.mean_speedup.value == pytest.approx((4.0 + 3.0 + 1.05 + 1 + 1 + 1) / 6)
    assert found.geomean.value == pytest.approx((4.0 * 3.0 * 1.05) ** (1 / 6))
    assert found.opt.low is not None
    assert found.opt.low < found.opt.value


def measured(folder: Path, *drafts: Candidate, best: Candidate | None = None) -> Metrics:
    """A batch of one problem, which ended after these drafts."""
    store = BatchFolder(folder / "one", create=True)
    store.register([problem("one")])
    store.begin("one")
    run = SavedRun(History((history("human").original, *drafts)), Ledger(rounds=len(drafts)))
    store.save("one", run, TimeSpent())
    store.end("one", ProblemResult("done", "", "enough", best=best), TimeSpent())
    return measure_batch(store)


def test_a_draft_that_was_only_screened_is_none_of_the_first_k(tmp_path: Path) -> None:
    screened = Candidate(1, Revision.of(FAST), "both", (outcome(),), ablation=(("one", 1.5),))
    found = measured(tmp_path, screened, draft(2, 3.0), best=draft(2, 3.0))
    assert [each.screened for each in found.solved[0].rounds] == [True, False]
    (only,) = found.rounds
    assert (only.drafts, only.opt.value, only.correct.value) == (1, 1.0, 1.0)


def test_what_is_correct_is_one_thing(tmp_path: Path) -> None:
    """A right draft that was only screened counts in the total and after the last draft alike."""
    screened = Candidate(2, Revision.of(FAST), "both", (outcome(),), ablation=(("one", 1.5),))
    wrong = Candidate(1, Revision.of(FAST), "wrong", (outcome(verdict=CaseVerdict.WA),))
    found = measured(tmp_path, wrong, screened)
    assert [each.correct for each in found.solved[0].rounds] == [False, True]
    assert [each.screened for each in found.solved[0].rounds] == [False, True]
    assert found.correct.value == found.rounds[-1].correct.value == 1.0


def test_what_was_running_when_the_batch_was_killed_has_ended(tmp_path: Path) -> None:
    store = BatchFolder(tmp_path, create=True)
    store.register([problem("one"), problem("two")])
    store.begin("one")
    with locked(tmp_path):
        assert measure_batch(store).counts == {"running": 1, "pending": 1}
    killed = measure_batch(store)
    assert killed.counts == {"interrupted": 1, "pending": 1}
    assert killed.solved[0].reason == "the batch was ended before; the same command continues it"


def test_json_holds_what_is_promised(store: BatchFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(store.folder), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(ReportJson.model_json_schema()).validate(data)
    assert set(data) <= {each.alias or name for name, each in ReportJson.model_fields.items()}
    assert data["problems"] == 8
    assert data["opt_share"] == pytest.approx(1 / 3)
    assert data["correct_share"] == pytest.approx(2 / 3)
    assert data["tokens"] == 600
    assert data["cost_usd"] == 2.5
    assert data["cost_usd_per_solved"] == 1.25
    assert {each["problem"] for each in data["failures"]} == {"failed", "open", HOSTILE}
    assert {"geomean_speedup", "mean_speedup", "rounds", "intervals", "reference", "settings", "machine"} <= data.keys()


def test_the_table_writes_no_escapes_of_others(found: Metrics) -> None:
    text = io.StringIO()
    render(found, text, versus(found, found), verbose=True)
    assert "\x1b" not in text.getvalue()
    assert "\u202e" not in text.getvalue()
    assert "geometric mean speedup" in text.getvalue()


def test_two_batches_are_paired_by_problem(store: BatchFolder, found: Metrics) -> None:
    for name, ratio in (("good", 8.0), ("small", 2.1)):
        store.end(name, ProblemResult("done", "", best=draft(1, ratio)), TimeSpent())
    other = versus(found, measure_batch(store))
    assert other.opt == (2, 3)
    assert other.ratio.value == pytest.approx(4 ** (1 / 6))


def test_nothing_has_ended_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    BatchFolder(tmp_path, create=True)
    page = tmp_path / "page.html"
    assert main(["report", str(tmp_path), "--html", str(page)]) == 0
    assert "0 problems" in capsys.readouterr().out
    assert page.stat().st_size > 1000


@pytest.mark.parametrize("flag", ["--html", "--csv"])
def test_what_cannot_be_written_is_one_line(store: BatchFolder, flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(store.folder), flag, str(store.folder / "no" / "file")]) == 2
    assert capsys.readouterr().err.startswith("error: cannot write")
