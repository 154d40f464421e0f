"""Saved runs are found again by name, and only what still fits is put in place; the page of a run is whole."""
# looks at codeopt/cli/commands/apply, codeopt/cli/commands/undo, codeopt/cli/commands/show, codeopt/cli/runs

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.cache import machine
from codeopt.core.errors import Diagnostic, UsageError
from codeopt.core.evidence import CallEvidence, CaseEvidence, WorkloadEvidence
from codeopt.core.history import History
from codeopt.core.model import Ledger, Usage
from codeopt.core.revision import Revision
from codeopt.core.run_index import find_run, open_run, runs_in
from codeopt.core.run_store import RunFolder, SavedRun, digest
from codeopt.core.words import Speedup
from codeopt.report.answers import JudgedJson, gather_judged, serialize
from codeopt.report.brief import verdict_lines
from codeopt.report.html.run_page import run_page
from codeopt.report.verdict import Verdict
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Caveat, CaveatKind
from tests.codeopt.batch.results.test_page import outline
from tests.codeopt.command import codeopt
from tests.support.candidates import FAST, SLOW, original, right, wrong
from tests.support.files import write_files

HOSTILE = "</pre><script>alert(1)</script>\x1b[31m"
CAVEAT = Caveat(
    CaveatKind.INPUT, "-1", "0", HOSTILE, "no known input has a negative number", "echo -1 | python slow.py"
)
EVIDENCE = WorkloadEvidence(
    CallEvidence(12, {"tests": 12}, 0.75, {"too slow": 4}, 3),
    CaseEvidence(2, input_count=40, held_out=1, confirmation_runs=2),
    gaps=(Diagnostic("8 tests found, none ran", "no numpy"),),
)
VERDICT = Verdict(
    Decision.FASTER, "round 2: try 2", speedup=Speedup(2.0, 1.8, None, 21, method="a test"), caveats=(CAVEAT,),
    evidence=EVIDENCE,
)  # fmt: skip


def result(folder: Path, **other: Any) -> dict[str, Any]:
    """What improve --json would print."""
    place: dict[str, Any] = {"python": None, "machine": machine(), "next_step": ""}
    return {
        "schema": "codeopt.improve/2", "file": "slow.py", "target": "slow.py", "folder": str(folder),
        **gather_judged(JudgedJson, VERDICT, sandbox="", **place).to_json(), "speedup": serialize(VERDICT.speedup),
        "task": "runtime", "model": HOSTILE, "sandbox": "docker", "accepted": True,
        "stop_reason": "nothing left", "best_round": 2, "sha256_after": digest(FAST),
        "seconds": 9.5,
        "effort": {"model_s": 4.0, "cases_s": 1.0, "timing_s": 2.0, "profile_s": 0.5, "confirmation_s": 1.5},
        "rounds": [], "tokens": {"in": 1000, "out": 200, "cached": 0, "estimated": False}, "cost_usd": 0.5,
        "seconds_by_step": {"model": 4.0, "cases": 1.0, "timing": 2.25, "profile": 0.0, "other": 2.25},
        "run": "elsewhere",
        "remaining_hot_spots": [],
        **other,
    }  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An accepted run, one in which nothing was, and the newest, which did not end."""
    (tmp_path / "slow.py").write_text(SLOW)
    best = replace(right(2), checked=(CAVEAT,), critique=HOSTILE, changes=("read at once",))
    history = History((original(critique="a list"), wrong(critique="wrong"), best))
    for name in ("20260101-000000-slow-aaaa", "20260102-000000-slow-bbbb", "20260103-000000-slow-cccc"):
        folder = RunFolder(tmp_path / ".codeopt" / "runs" / name)
        folder.path.mkdir(parents=True)
        folder.save(SavedRun(history, Ledger(rounds=1, usage=Usage(1, 1000, 200, 0.5))))  # its clock runs
        if name.endswith("aaaa"):
            folder.finish(Revision.of(SLOW), result(tmp_path), Revision.of(FAST))
        if name.endswith("bbbb"):
            nothing = {"accepted": False, "verdict": "same", "speedup": None, "best_round": None}
            why = "no draft was right"
            folder.finish(Revision.of(SLOW), result(tmp_path, reason=why, **nothing), None)
    return tmp_path / ".codeopt"


def page_of(name: str, home: Path) -> str:
    return "".join(run_page(open_run(name, home)))


def test_runs_have_names(home: Path) -> None:
    assert [run.path.name[-4:] for run in runs_in(home).own] == ["cccc", "bbbb", "aaaa"]
    assert find_run("last", home) == find_run("cccc", home) == find_run(str(home / "runs" / find_run("c", home)), home)
    for name, message in (("slow", "a part of 3 runs' names"), ("zzzz", "there is no run 'zzzz'")):
        with pytest.raises(UsageError, match=message):
            find_run(name, home)
    with pytest.raises(UsageError, match="there are no runs in"):
        find_run("last", home / "nowhere")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "other/1", "accepted": true}'])
def test_a_broken_result_is_none(text: str, home: Path) -> None:
    path = home / "runs" / "20260101-000000-slow-aaaa" / "result.json"
    path.write_text(text)
    assert not open_run("aaaa", home).listing.ended
    assert page_of("aaaa", home)


def test_a_result_of_the_schema_before_is_shown(home: Path) -> None:
    path = home / "runs" / "20260101-000000-slow-aaaa" / "result.json"
    score = {"name": "readability", "before": 0.25, "after": 0.5, "remark": ""}
    older = {"schema": "codeopt.improve/1", "task_score": score, "task_measures": []}
    path.write_text(json.dumps({**json.loads(path.read_text()), **older}))
    found = open_run("aaaa", home)
    assert found.listing.ended
    assert page_of("aaaa", home)
    assert "readability 0.25 -> 0.50" in verdict_lines(found.result)


def test_the_result_is_applied_once_and_only_to_what_it_was_made_from(home: Path) -> None:
    folder, file = home.parent, home.parent / "slow.py"
    done = codeopt("show", "aaaa", "--diff", cwd=folder)
    assert (done.status, done.out.splitlines()[:2]) == (0, ["--- a/slow.py", "+++ b/slow.py"]), done.err
    assert "found no faster version: no draft was right" in codeopt("show", "bbbb", "--diff", cwd=folder).err
    assert "has not ended" in codeopt("apply", cwd=folder).err
    file.write_text(SLOW + "# mine\n")
    refused = codeopt("apply", "aaaa", cwd=folder)
    assert (refused.status, file.read_text()) == (2, SLOW + "# mine\n")
    assert "has changed since the run\n  hint: codeopt show " in refused.err
    file.write_text(SLOW)
    assert codeopt("apply", home / "runs/20260101-000000-slow-aaaa", cwd=folder.parent).status == 0
    assert (file.read_text(), (folder / "slow.py.orig").read_text()) == (FAST, SLOW)
    again = codeopt("apply", "aaaa", cwd=folder)
    assert (again.status, again.out) == (0, "Already applied.\n")


@pytest.mark.parametrize("place", [".codeopt/runs", "out/problems"])  # of a batch
def test_all_files_of_a_project_are_applied_and_undone(place: str, home: Path) -> None:
    folder, run = home.parent, RunFolder(home.parent / place / "20260104-000000-shop-dddd")
    before = {"a.py": "A = 1\n", "pkg/b.py": "B = 1\n"}
    write_files(folder / "shop", before)
    run.path.mkdir(parents=True)
    run.save(SavedRun(History((replace(original(), revision=Revision(before)),)), Ledger()))
    given = result(folder, file="shop", target="shop", command="python a.py")
    run.finish(Revision(before), given, Revision({name: text.replace("1", "2") for name, text in before.items()}))

    def texts() -> list[str]:
        return [(folder / "shop" / name).read_text() for name in before]

    done = codeopt("apply", run.path, cwd=folder)
    assert (done.status, texts()) == (0, ["A = 2\n", "B = 2\n"]), done.err
    assert done.out.startswith("Applied to shop/a.py and shop/pkg/b.py (2.0x faster).")
    undo = done.out.splitlines()[1].removeprefix("Undo: codeopt ").split()
    assert codeopt(*undo, cwd=folder).out == "Put back shop/a.py, shop/pkg/b.py.\n"
    assert texts() == ["A = 1\n", "B = 1\n"]


def test_runs_are_listed_and_shown(home: Path) -> None:
    folder = home.parent
    assert [line.split()[0] for line in codeopt("runs", cwd=folder).out.splitlines()] == ["interrupted", "no", "2.0x"]
    assert [row["ended"] for row in codeopt("runs", "--json", cwd=folder).json["runs"]] == [False, True, True]
    shown = codeopt("show", "aaaa", "--html", "page.html", cwd=folder)
    assert "2.0x faster   CPU time   (95% CI 1.8x to ?)" in shown.out
    assert "\x1b" not in shown.out
    assert outline((folder / "page.html").read_text()).open == []
    run = home / "runs" / "20260101-000000-slow-aaaa"
    assert "is one run\n  hint: codeopt show " in codeopt("report", run, cwd=folder).err
