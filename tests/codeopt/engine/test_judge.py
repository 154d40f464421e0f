"""From a draft to a candidate: what is run, what stops it, what is held out, and what is found by running it often."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.errors import ProgramError
from codeopt.core.history import Candidate, Draft, History
from codeopt.core.revision import Revision
from codeopt.engine.judge import Judge
from codeopt.workloads.program import baseline
from codeopt.workloads.program.baseline import longest_cases
from codeopt_sandbox import Sandbox
from codeopt_sandbox.compare import StoppingRule
from tests.codeopt.command import FAST, SLOW, write_problem
from tests.support.judges import program_judge, referee

RULE = StoppingRule(max_pairs=12, pair_seconds=0.01)


def judge_of(guest: Sandbox, path: Path, *, needs_time: bool = True) -> Judge:
    """A judge of the program at `path` with the cases beside it."""
    return program_judge(guest, path, rule=RULE, needs_time=needs_time)


@pytest.fixture(scope="module")
def judge(guest: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Three cases, the last of them by far the longest."""
    return judge_of(guest, write_problem(tmp_path_factory.mktemp("problem"), words=1500))


def measured(judge: Judge, source: str) -> Candidate:
    return judge.measure(Draft(Revision.of(source), "a try"), History((judge.original,)))


def test_a_faster_draft_is_believed_and_confirmed(judge: Judge) -> None:
    found = measured(judge, FAST)
    assert found.faster
    assert found.comparison is not None
    assert found.comparison.ratio > 2
    confirmed = judge.confirm(found)
    assert confirmed.faster
    assert confirmed.comparison != found.comparison


def test_a_short_case_whose_first_run_had_to_wait_is_not_timed_alone(judge: Judge) -> None:
    short, *_, long = sorted(judge.suite.cases, key=lambda case: len(case.stdin))
    for runqueue_wait_s in (0.0, 9.0):
        waited = [
            replace(outcome, run=replace(outcome.run, wall_s=9.0, runqueue_wait_s=runqueue_wait_s))
            if outcome.case == short.name
            else outcome
            for outcome in judge.original.outcomes
        ]
        chosen = longest_cases(judge.suite.cases, replace(judge.original, outcomes=tuple(waited)), 0.1)
        assert long.name in [case.name for case in chosen]


def test_the_longest_case_is_held_out(judge: Judge) -> None:
    held = [case for case in judge.suite.cases if case.held_out]
    assert len(held) == judge.suite.held_out >= 1
    longest = max(judge.suite.cases, key=lambda case: len(case.stdin))
    assert longest in held
    assert any(not case.held_out for case in judge.suite.cases)


REFUSED = [
    ("import ctypes\n" + FAST, "ctypes"),
    (SLOW + "# only a comment\n", "the same program as the original"),
    (SLOW.replace("repeated = 0", "repeated=0"), "the same program as the original"),
]


@pytest.mark.parametrize(("source", "said"), REFUSED)
def test_what_need_not_be_run_is_not(source: str, said: str, judge: Judge) -> None:
    found = measured(judge, source)
    assert said in found.rejection
    assert found.outcomes == ()


def test_a_draft_with_a_problem_says_so(judge: Judge) -> None:
    found = judge.measure(Draft(Revision.of(""), "", problem="no code in the reply"), History((judge.original,)))
    assert found.rejection == "no code in the reply"


def test_brackets_without_end_are_a_wrong_program(judge: Judge) -> None:
    assert not measured(judge, "(" * 100_000).correct


def test_what_a_person_wrote_is_not_gated(judge: Judge) -> None:
    assert referee(judge, "import gc\n" + FAST).correct


TRACE = """
import threading
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
"""


def test_a_traceback_counts_although_the_status_is_0(judge: Judge) -> None:
    found = referee(judge, FAST + TRACE)
    assert not found.correct
    assert "Traceback" in found.outcomes[0].detail


def test_unless_the_original_shows_one_too(guest: Sandbox, tmp_path: Path) -> None:
    noisy = judge_of(guest, write_problem(tmp_path, SLOW + TRACE, words=500), needs_time=False)
    found = noisy.check(Revision.of(FAST + TRACE), "")
    assert found.correct


def test_a_round_finds_what_depends_on_the_order_of_sets(judge: Judge) -> None:
    usual = int(judge.workload.runner.run(Revision.of("print(hash('a'))")).stdout)
    assert not measured(judge, f"{FAST}\nif hash('a') != {usual}:\n    print(1)\n").correct


def test_an_original_that_prints_something_else_each_time(guest: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "input.1.txt").write_text("1\n")
    path = tmp_path / "slow.py"
    for source in ("import random; print(random.SystemRandom().random())", "print(list(set('abcdefgh')))"):
        path.write_text(source)
        with pytest.raises(ProgramError, match="does not print the same twice"):
            judge_of(guest, path)


def test_cases_too_small_to_time(guest: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "TOO_SHORT_S", 0.05)  # a busy machine needs more than the usual for any program
    (tmp_path / "input.1.txt").write_text("1\n")
    (tmp_path / "slow.py").write_text("print(input())\n")
    judge = judge_of(guest, tmp_path / "slow.py")
    with pytest.raises(ProgramError, match="too small to time"):
        judge.measure(Draft(Revision.of("import sys\nprint(sys.stdin.readline())\n"), ""), History((judge.original,)))
