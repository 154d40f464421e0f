"""A run on disk comes back as it was, and never half."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.history import History
from codeopt.core.model import Ledger, Usage
from codeopt.core.revision import Revision
from codeopt.core.run_index import read_run
from codeopt.core.run_store import RunFolder, SavedRun, new_run
from codeopt_sandbox.profile import HotFunction, HotLine
from tests.support.candidates import SLOW, comparison, original, outcome, profile, right, wrong

HISTORY = History((original(critique="a list"), wrong(critique="wrong"), right(2)))
LEDGER = Ledger(rounds=2, usage=Usage(1, 10, 20, None))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return new_run(tmp_path / "home", "slow")


def test_a_run_comes_back_as_it_was(folder: RunFolder) -> None:
    folder.save(SavedRun(HISTORY, LEDGER, {"shown": False, "secret-big": True}, input_seed=7))
    found = folder.read(Revision.of(SLOW))
    ledger = found.ledger
    assert found.history == HISTORY
    assert (found.held_out, found.input_seed) == ({"shown": False, "secret-big": True}, 7)
    assert (ledger.usage.tokens, ledger.rounds, ledger.usage.cost_usd) == (30, 2, None)


def test_bytes_that_are_no_text_and_numbers_without_end(folder: RunFolder) -> None:
    strange = replace(
        right(1),
        outcomes=(outcome(stdout=b"\xff\x00", stderr=b"\x80"),),
        comparison=comparison(ci_high=float("inf"), ci_low=0.0),
    )
    folder.save(SavedRun(History((original(), strange)), Ledger()))
    assert folder.read(Revision.of(SLOW)).history.last == strange


def test_outputs_are_cut(folder: RunFolder) -> None:
    """A saved run stays small: from standard output the start is kept, from standard error the end."""
    long = replace(right(1), outcomes=(outcome(stdout=b"a" * 10**6, stderr=b"b" * 10**6 + b"end"),))
    folder.save(SavedRun(History((original(), long)), Ledger()))
    run = folder.read(Revision.of(SLOW)).history.last.outcomes[0].run
    assert len(run.stdout) == len(run.stderr) == 4000
    assert run.stderr.endswith(b"end")


def test_another_program_is_refused(folder: RunFolder) -> None:
    folder.save(SavedRun(HISTORY, LEDGER))
    with pytest.raises(UsageError, match="is of another program"):
        folder.read(Revision.of(SLOW + "# changed\n"))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '{"schema": "codeopt.run/1"}'])
def test_what_is_no_run_is_refused(text: str, folder: RunFolder) -> None:
    (folder.path / "state.json").write_text(text)
    with pytest.raises(UsageError, match="cannot be read"):
        folder.read(Revision.of(SLOW))


def test_a_broken_history_is_refused(folder: RunFolder) -> None:
    folder.save(SavedRun(HISTORY, LEDGER))
    path = folder.path / "state.json"
    state = json.loads(path.read_text())
    del state["candidates"][0]["revision"]
    path.write_text(json.dumps(state))
    with pytest.raises(UsageError, match="cannot be read"):
        folder.read(Revision.of(SLOW))


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ((), "rounds", "four"),
        ((), "usage", None),
        ((), "earlier_s", "long"),
        (("usage",), "tokens_in", None),
        (("usage",), "cost_usd", "much"),
        (("usage",), "seconds", None),
    ],
)
def test_a_broken_ledger_is_refused(part: tuple[str, ...], name: str, value: object, folder: RunFolder) -> None:
    folder.save(SavedRun(HISTORY, LEDGER))
    path = folder.path / "state.json"
    state = json.loads(path.read_text())
    reduce(getitem, part, state["ledger"])[name] = value
    path.write_text(json.dumps(state))
    with pytest.raises(UsageError, match="cannot be read"):
        folder.read(Revision.of(SLOW))


def test_the_end_stands_beside_the_state(folder: RunFolder) -> None:
    folder.save(SavedRun(HISTORY, LEDGER))
    folder.finish(Revision.of(SLOW), {"accepted": True}, Revision.of("print(1)\n"))
    assert sorted(path.name for path in folder.path.iterdir()) == [
        "best.py",
        "original.py",
        "result.json",
        "state.json",
    ]
    assert json.loads((folder.path / "result.json").read_text()) == {"accepted": True}


def test_runs_are_hidden_from_git(tmp_path: Path) -> None:
    new_run(tmp_path / ".codeopt", "slow")
    assert (tmp_path / ".codeopt" / ".gitignore").read_text() == "*\n"


def test_where_nothing_can_be_made_the_run_goes_to_the_temporary_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = new_run(tmp_path / "file", "slow")
    assert folder.path.is_dir()
    folder.path.rmdir()


BEFORE = Revision({"a.py": "A = 1\nprint(A)\n", "lib/b.py": "B = 1\n\n\ndef f():\n    return B\n"})
AFTER = BEFORE.with_file("lib/b.py", "def f():\n    return 1\n")
HOT = (HotLine(2, 0.7, 1, 0.7, "print(A)", "a.py:2"), HotLine(5, 0.3, 1, 0.3, "    return B", "lib/b.py:5"))
FUNCTIONS = (HotFunction("lib/b.py::f", 4, 0.3, 1),)
PROJECT = History((
    replace(original(), revision=BEFORE, profile=replace(profile(), lines=HOT, functions=FUNCTIONS)),
    replace(right(1), revision=AFTER),
))  # fmt: skip


def test_a_project_keeps_its_files(folder: RunFolder) -> None:
    folder.save(SavedRun(PROJECT, Ledger(), subject=BEFORE))
    assert folder.read(BEFORE).history == PROJECT
    with pytest.raises(UsageError, match="is of another program"):
        folder.read(AFTER)
    row = json.loads((folder.path / "state.json").read_text())["candidates"][1]
    assert row["revision"] == AFTER


def test_of_a_project_the_files_that_changed_stand_beside_the_state(folder: RunFolder) -> None:
    folder.save(SavedRun(PROJECT, Ledger(), subject=BEFORE))
    before, after = (Revision({"lib/b.py": each["lib/b.py"]}) for each in (BEFORE, AFTER))
    folder.finish(before, {"accepted": True}, after)
    kept = read_run(folder.path)
    assert (kept.original, kept.best) == (before, after)
    assert (folder.path / "best" / "lib" / "b.py").read_text() == AFTER["lib/b.py"]
