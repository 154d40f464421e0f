"""A run of several functions is one run: shown, applied and undone as a whole or by function, and resumed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.history import History
from codeopt.core.model import Ledger, Usage
from codeopt.core.program import FileChange, read_program
from codeopt.core.revision import Revision
from codeopt.core.run_index import find_run, open_run
from codeopt.core.run_store import SavedRun, SeveralRun, new_several, resumed_several
from tests.codeopt.command import codeopt
from tests.codeopt.core.test_run_index import result
from tests.support.candidates import original, right

A, B, C = "def a():\n    return 1\n", "def b():\n    return 2\n", "def c():\n    return 3\n"
BEFORE = f"{A}\n\n{B}\n\n{C}"
FASTER = {"a": A.replace("return 1", "return 0 + 1"), "b": B.replace("return 2", "return 1 + 1")}
ONE = {"a": BEFORE.replace(A, FASTER["a"]), "b": BEFORE.replace(B, FASTER["b"])}
BOTH = ONE["a"].replace(B, FASTER["b"])


def saved(folder: Path, *, ended: bool = True) -> SeveralRun:
    """The run of a folder whose one module has two faster functions and one that is not, as improve leaves it."""
    place = folder / "shop"
    place.mkdir(exist_ok=True)
    (place / "m.py").write_text(BEFORE)
    run = new_several(folder / ".codeopt", place)
    for name in "abc":
        part = run.function(f"shop/m.py::{name}", BEFORE)
        store = part.begin("m.py")
        store.save(SavedRun(History((original(), right(1))), Ledger().add(Usage(1, 100, 20, 0.5))))
        own = {"file": "shop/m.py", "target": f"{place}/m.py::{name}", "best_round": 1}
        none = {"accepted": False, "speedup": None, "best_round": None, "reason": "no rule applies"}
        given = result(folder, **own) if name in ONE else result(folder, **own | none)
        store.finish(Revision.of(BEFORE), given, Revision.of(ONE[name]) if name in ONE else None)
        run.end(part)
    if ended:
        whole = {
            "schema": "codeopt.improve-several/1", "target": "shop", "file": "shop", "folder": str(folder),
            "accepted": True, "reason": "2 of 3 functions faster", "improved": 2, "functions": [], "seconds": 9.5,
            "results": {"a": {}, "b": {}, "c": {}}, "diagnostics": [], "run": str(run.path),
        }  # fmt: skip
        run.finish([FileChange("shop/m.py", read_program(place / "m.py"), BOTH)], whole)
    return run


def test_the_whole_is_the_newest_run(tmp_path: Path) -> None:
    run = saved(tmp_path)
    (row,) = codeopt("runs", "--json", cwd=tmp_path).json["runs"]
    assert (row["run"], row["accepted"], row["target"]) == (os.path.relpath(run.path, tmp_path), True, "shop")
    assert codeopt("runs", cwd=tmp_path).out.startswith("  2 of 3 functions faster  shop  ")
    shown = codeopt("show", cwd=tmp_path).out.splitlines()
    assert [line.split()[0] for line in shown[1:3]] == ["shop/m.py::a", "shop/m.py::b"]
    assert shown[3] == "  shop/m.py::c  no faster version: no rule applies"
    assert codeopt("show", "--json", cwd=tmp_path).json["schema"] == "codeopt.improve-several/1"
    diff = codeopt("show", "--diff", cwd=tmp_path).out
    assert [line for line in diff.splitlines() if line[:1] in "+-"] == [
        *("--- a/shop/m.py", "+++ b/shop/m.py"),
        *("-    return 1", "+    return 0 + 1", "-    return 2", "+    return 1 + 1"),
    ]
    assert codeopt("show", "shop/m.py::b", "--json", cwd=tmp_path).json["reason"] == "round 2: try 2"
    assert (
        "is of several functions\n  hint: name one: shop/m.py::a," in codeopt("show", "--html", "x", cwd=tmp_path).err
    )


def test_all_functions_or_one_are_applied_and_undone(tmp_path: Path) -> None:
    saved(tmp_path)
    file, kept = tmp_path / "shop/m.py", tmp_path / "shop/m.py.orig"

    def after(*arguments: str) -> tuple[int, str]:
        return codeopt(*arguments, cwd=tmp_path).status, file.read_text()

    assert after("apply") == (0, BOTH)
    assert kept.read_text() == BEFORE
    assert codeopt("apply", cwd=tmp_path).out == "Already applied.\n"
    assert after("undo") == (0, BEFORE)
    assert not kept.exists()
    assert after("apply", "shop/m.py::b") == (0, ONE["b"])
    assert after("apply", "a") == (0, BOTH)
    assert codeopt("apply", cwd=tmp_path).out == "Already applied.\n"
    assert after("undo") == (0, ONE["b"])
    assert after("undo") == (0, BEFORE)
    assert after("undo") == (2, BEFORE)
    refused = codeopt("apply", "shop/m.py::c", cwd=tmp_path)
    assert (refused.status, "found no faster version" in refused.err) == (2, True)


def test_what_the_user_changed_since_is_left_alone(tmp_path: Path) -> None:
    saved(tmp_path)
    file = tmp_path / "shop/m.py"
    for name in ("last", "shop/m.py::a"):
        file.write_text(BEFORE.replace("return 3", "return 4"))
        refused = codeopt("apply", name, cwd=tmp_path)
        assert (refused.status, len(refused.facts)) == (2, 1)
        assert "has changed since the run" in refused.err
    file.write_text(BEFORE)
    codeopt("apply", cwd=tmp_path)
    file.write_text(BOTH + "# mine\n")
    refused = codeopt("undo", cwd=tmp_path)
    assert (refused.status, len(refused.facts), file.read_text()) == (2, 1, BOTH + "# mine\n")
    assert "has changed since it was written" in refused.err


def test_a_function_that_does_not_go_with_the_others_is_applied_alone(tmp_path: Path) -> None:
    """It was left out of the whole, for it is wrong together with another one."""
    run = saved(tmp_path)
    state = json.loads((run.path / "result.json").read_text())
    file = tmp_path / "shop/m.py"
    run.finish([FileChange("shop/m.py", read_program(file), ONE["a"])], state)
    assert codeopt("apply", "shop/m.py::b", cwd=tmp_path).status == 0
    assert file.read_text() == ONE["b"]
    assert codeopt("apply", "shop/m.py::a", cwd=tmp_path).status == 2
    file.write_text(ONE["a"])
    assert codeopt("apply", "shop/m.py::b", cwd=tmp_path).status == 2
    assert file.read_text() == ONE["a"]


def test_nothing_to_undo(tmp_path: Path) -> None:
    done = codeopt("undo", cwd=tmp_path)
    assert (done.status, len(done.facts), "nothing to undo" in done.err) == (2, 1, True)


def test_a_record_leads_nowhere_else(tmp_path: Path) -> None:
    """It says what is written where; a file outside of the project is none that a run wrote."""
    run, other = saved(tmp_path / "p") if (tmp_path / "p").mkdir() is None else None, tmp_path / "other.py"
    assert run
    other.write_text("after")
    row = {"path": str(other), "before": "before", "after": "after", "kept": False}
    (run.path / "written.json").write_text(json.dumps({"schema": "codeopt.written/1", "at": 1.0, "files": [row]}))
    done = codeopt("undo", cwd=tmp_path / "p")
    assert (done.status, other.read_text()) == (2, "after")


def test_a_run_goes_on_where_it_was_left(tmp_path: Path) -> None:
    run = saved(tmp_path, ended=False)
    again = resumed_several(run.path, tmp_path / "shop")
    assert again
    assert all(again.is_done(again.function(f"shop/m.py::{name}", BEFORE)) for name in "abc")
    assert not again.is_done(again.function("shop/m.py::a", BEFORE + "# changed\n"))
    assert (again.ledger.usage.tokens, again.ledger.usage.cost_usd) == (360, 1.5)
    assert "codeopt improve --resume" in codeopt("apply", cwd=tmp_path).err
    with pytest.raises(UsageError, match="is of .*shop, not of"):
        resumed_several(run.path, tmp_path)
    with pytest.raises(UsageError, match="no run of several functions"):
        resumed_several(tmp_path, tmp_path / "shop")
    (tmp_path / "empty").mkdir()
    assert resumed_several(tmp_path / "empty", tmp_path / "shop") is None
    assert find_run("shop/m.py::a", tmp_path / ".codeopt").parent.parent == run.path
    assert open_run("last", tmp_path / ".codeopt").best is None
