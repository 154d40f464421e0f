"""Less memory, several aims at once, and a task in a file of one's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate
from codeopt.core.revision import Revision
from codeopt.tasks import open_task
from codeopt_sandbox.compare import CaseTimes, Comparison, Decision
from codeopt_sandbox.outcome import CaseVerdict, Outcome, Run
from tests.codeopt.command import QUICK, codeopt, reply
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer

HUNGRY = "numbers = [k * k % 1000003 for k in range(int(input()))]\nprint(sum(numbers))\n"
WRONG = HUNGRY.replace("sum(numbers)", "sum(numbers) + 1")
LEAN = "print(sum(k * k % 1000003 for k in range(int(input()))))\n"
PASSED = (Outcome("a", CaseVerdict.AC, Run(0, None, 0.1, 0.1, 1000, b"", b"")),)


def served(*drafts: str) -> WireServer:
    """A server that answers with a critique and a draft, for each."""
    return WireServer([text for each in drafts for text in ("Keep nothing.\nVERDICT: IMPROVE", reply(each))])


def asked(server: WireServer) -> tuple[str, ...]:
    """The flags that ask it."""
    return ("--model", server.model, "--base-url", server.base_url)


def compared(decision: Decision, ratio: float, clock: str = "cpu") -> Comparison:
    cases = (CaseTimes("a", (20.0 * 2**20,), (10.0 * 2**20,)),)
    return Comparison(decision, ratio, ratio * 0.98, ratio * 1.02, 9, clock, 0.95, 0.01, "m", cases)  # type: ignore[arg-type]


TIME = {
    "faster": compared(Decision.FASTER, 2.0),
    "same": compared(Decision.SAME, 1.0),
    "slower": compared(Decision.SLOWER, 0.5),
}
MEMORY = {
    "less": compared(Decision.FASTER, 2.0, "memory"),
    "same": compared(Decision.SAME, 1.0, "memory"),
    "more": compared(Decision.SLOWER, 0.5, "memory"),
}


@pytest.mark.parametrize(
    ("time", "memory", "by_memory", "by_both"),
    [
        ("same", "less", True, True),
        ("faster", "less", True, True),
        ("slower", "less", False, False),
        ("faster", "same", False, True),
        ("faster", "more", False, False),
        ("same", "same", False, False),
    ],
)
def test_what_is_acceptable(time: str, memory: str, by_memory: bool, by_both: bool) -> None:
    original = Candidate(0, Revision.of(HUNGRY), "the original", PASSED)
    draft = Candidate(1, Revision.of(LEAN), "a try", PASSED)
    for task, first, second, wanted in [
        ("memory", MEMORY[memory], TIME[time], by_memory),
        ("runtime,memory", TIME[time], MEMORY[memory], by_both),
    ]:
        found = replace(draft, comparison=first, second=second)
        reason = open_task(task).why_not(found, original)
        assert (not reason) is wanted, reason
        assert (open_task(task).score(found, original) is not None) is wanted


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("runtime,runtime", "names one aim twice"),
        ("runtime,acronym", "acronym cannot be combined"),
        ("nowhere.py", "there is no such file"),
    ],
)
def test_what_is_no_task_is_one_line(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        open_task(name)


@pytest.mark.full
@pytest.mark.parametrize(
    ("task", "worse", "said"),
    [
        pytest.param("memory", HUNGRY.replace("print(", "more = numbers[:]\nprint("), "slower", id="memory"),
        pytest.param("runtime,memory", WRONG, "wrong", id="both"),
    ],
)
def test_half_the_peak_is_believed_and_told(task: str, worse: str, said: str, tmp_path: Path) -> None:
    """By the command line; the peaks are named, and the time beside them."""
    require_sandbox()
    (tmp_path / "hungry.py").write_text(HUNGRY)
    (tmp_path / "in.txt").write_text("400000\n")
    with served(LEAN, worse) as server:
        done = codeopt(
            "improve", "hungry.py", "--stdin", "in.txt", "--task", task, *asked(server), "-n", "2", "--max-pairs", "12",
            *QUICK, "--json", cwd=tmp_path,
        )  # fmt: skip
    assert done.status == 0, done.err
    assert done.json["best_round"] == 1
    assert done.json["rounds"][1]["verdict"] == said
    assert "MiB" in server.prompts[-1]
    if task != "memory":
        assert {row["name"] for row in done.json["task_score"]["measures"]} == {"time", "peak"}
        return
    assert done.json["speedup"]["metric"] == "memory"
    assert done.json["speedup"]["ratio"] > 1.5
    (peak,) = done.json["task_score"]["measures"]
    assert peak["before"] > 1.5 * peak["after"] > 0
    assert "less memory" in done.err
    assert " MiB" in done.err
