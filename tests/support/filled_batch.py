"""A batch filled by hand: three solved in different ways, one wrong, one failed, one skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.batch.batch_folder import BatchFolder, ProblemResult, TimeSpent
from codeopt.batch.datasets import Problem
from codeopt.core.history import Candidate, History
from codeopt.core.model import Ledger, Message, Reply
from codeopt.core.revision import Revision
from codeopt.core.run_store import SavedRun
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict
from tests.support.candidates import FAST, SLOW, comparison, outcome, profile

HOSTILE = "</script><script>document.title='in'</script><img src=x onerror=\"document.title='in'\">\x1b[31m\u202e"
ROUNDS = {
    "good": (2.0, 4.0),
    "human": (3.0,),
    "small": (1.05,),
    "same": (None,),
    "wrong": (0.0,),
}
"""Speedups of each draft; None: right but not faster, 0: wrong."""


def draft(number: int, speedup: float | None) -> Candidate:
    source = f"{FAST}# round {number}\n"
    if speedup == 0.0:
        return Candidate(
            number, Revision.of(source), HOSTILE, (outcome(verdict=CaseVerdict.WA, detail=HOSTILE),), critique=HOSTILE
        )
    found = comparison(Decision.SAME, 1.0) if speedup is None else comparison(ratio=speedup)
    return Candidate(
        number, Revision.of(source), f"draft {number}", (outcome(),), found, profile(), critique=f"critique {number}"
    )


def history(name: str) -> History:
    original = Candidate(
        0, Revision.of(SLOW), "the original", (outcome(),), profile=profile(), critique="slow " + HOSTILE
    )
    return History((original, *(draft(number, ratio) for number, ratio in enumerate(ROUNDS[name], 1))))


def problem(id: str, source: str = SLOW, skipped: str = "") -> Problem:
    return Problem(id, source, Path(f"{id}.py"), Path(id), target=FAST, skipped=skipped)


def reply(text: str = "hello", cost: float | None = 0.5) -> Reply:
    return Reply(text, 100, 20, cost, 1.5, "wire-model-1")


def fill(store: BatchFolder) -> None:
    """Six problems that ended, one that has not."""
    store.register([*map(problem, ROUNDS), problem("failed"), problem(HOSTILE, skipped="not Python"), problem("open")])
    for name, ratios in ROUNDS.items():
        past = history(name)
        store.begin(name)
        store.add_exchange(name, 0, [Message("user", "faster, please")], reply())
        store.save(name, SavedRun(past, Ledger(rounds=len(ratios)), {"small": False}), TimeSpent(3.0, 1.0, 0.5, 1.5, 9))
        last = past.last if past.last.faster and (past.last.comparison.ratio > 1) else None  # type: ignore[union-attr]
        if last:
            store.keep(name, "confirm", last)
        store.end(name, ProblemResult("done", f"round 1: {HOSTILE}", "enough", best=last), TimeSpent(1.0))
    store.keep(
        "human", "target", Candidate(0, Revision.of(FAST), "the human's program", (outcome(),), comparison(ratio=5.0))
    )
    store.keep(
        "same", "target", Candidate(0, Revision.of(FAST), "the human's program", (outcome(verdict=CaseVerdict.WA),))
    )
    store.end("failed", ProblemResult("failed", "the server is down", fault="model"), TimeSpent())
    store.require_same({"model": "wire-model", "task": "runtime", "set": "pairs.jsonl"})
    store.set_facts(cores=2)
    store.add_seconds(20.0)


@pytest.fixture
def store(tmp_path: Path) -> BatchFolder:
    store = BatchFolder(tmp_path / "run", create=True)
    fill(store)
    return store
