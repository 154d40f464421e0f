"""What each task accepts, ranks and stops at; and how one is opened."""

from __future__ import annotations

import sys
from dataclasses import replace
from string import Template
from types import ModuleType

import pytest

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, Critique, History
from codeopt.core.revision import Revision
from codeopt.tasks import Prompts, Task, open_task
from codeopt.tasks.readability import gain
from codeopt_sandbox.compare import Decision
from tests.support.candidates import FAST, HELD, original, right, wrong

TERSE = "def f(a):\n    t=0\n    for q in a:\n        t=t+q\n    return t\nprint(f(map(int,input().split())))\n"
CLEAR = """\
def total_of(numbers):
    # Added one by one: the numbers come from a generator.
    total = 0
    for number in numbers:
        total = total + number
    return total


print(total_of(map(int, input().split())))
"""


def test_the_folder_is_the_registry() -> None:
    assert {"runtime", "readability"} <= set(plugins.names("codeopt.tasks"))
    assert not [name for name in plugins.names("codeopt.tasks") if name.startswith("_")]


@pytest.mark.parametrize("name", ["runtime", "readability"])
def test_open_task(name: str) -> None:
    task = open_task(name)
    assert task.name == name
    assert task.metric == "time"
    assert 0 < task.min_gain < 1


def test_a_task_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("elsewhere.task")
    module.TASK = open_task("runtime")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "elsewhere", ModuleType("elsewhere"))
    monkeypatch.setitem(sys.modules, "elsewhere.task", module)
    assert open_task("elsewhere.task") is open_task("runtime")


@pytest.mark.parametrize("name", ["nonsense", "codeopt.core.errors", "no.such.module"])
def test_what_is_no_task(name: str) -> None:
    with pytest.raises(UsageError):
        open_task(name)


def test_a_template_with_a_wrong_variable_is_found_at_once() -> None:
    step = Template("$hints $answer")
    with pytest.raises(ValueError, match=r"critique template must use exactly \['answer', 'hints'\]"):
        Prompts(system=Template("$guidance $rules"), critique=Template("$hints $answers"), refine=step)


RUNTIME = open_task("runtime")
READABILITY = open_task("readability")


def refusal(task: Task, candidate: Candidate, source: str = TERSE) -> str:
    first = original(source)
    reason = task.why_not(candidate, first)
    assert (task.score(candidate, first) is None) is bool(reason)
    return reason


@pytest.mark.parametrize("task", [RUNTIME, READABILITY], ids=lambda task: task.name)
@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (wrong(), "not right on every case (WA)"),
        (wrong(case=HELD), "not right on every case (WA)"),
        (Candidate(1, Revision.of(""), "nothing", rejection="the reply holds no program"), "holds no program"),
        (Candidate(1, Revision.of(FAST), "nothing"), "not run"),
        (replace(right(), comparison=None), "not compared"),
        (right(decision=Decision.WRONG, reason="it failed in pair 3"), "it failed in pair 3"),
    ],
)
def test_never_accepted(task: Task, candidate: Candidate, reason: str) -> None:
    assert reason in refusal(task, candidate)


@pytest.mark.parametrize(
    ("decision", "ratio", "reason"),
    [
        (Decision.FASTER, 2.0, ""),
        (Decision.FASTER, 1.05, ""),
        (Decision.FASTER, 1.04, "below 5%"),
        (Decision.SAME, 1.3, "not faster with statistical confidence"),
        (Decision.INCONCLUSIVE, 1.3, "not faster with statistical confidence"),
        (Decision.SLOWER, 0.5, "not faster with statistical confidence"),
    ],
)
def test_runtime_accepts_what_is_faster_beyond_doubt(decision: Decision, ratio: float, reason: str) -> None:
    refused = refusal(RUNTIME, right(decision=decision, ratio=ratio))
    assert reason in refused
    assert bool(reason) is bool(refused)


def test_runtime_ranks_by_the_lower_end_of_the_interval() -> None:
    lucky, sure = right(ratio=3.0, ci_low=1.1), right(ratio=2.0, ci_low=1.9)
    assert RUNTIME.score(sure, original()) == 1.9
    assert RUNTIME.score(lucky, original()) == 1.1


@pytest.mark.parametrize(
    ("decision", "ratio", "reason"),
    [
        (Decision.FASTER, 2.0, ""),
        (Decision.SAME, 1.0, ""),
        (Decision.SAME, 0.96, ""),
        (Decision.INCONCLUSIVE, 0.96, ""),
        (Decision.INCONCLUSIVE, 0.9, "takes 11% more time"),
        (Decision.SLOWER, 0.97, ""),
        (Decision.SLOWER, 0.5, "takes 100% more time"),
    ],
)
def test_readability_may_cost_five_percent(decision: Decision, ratio: float, reason: str) -> None:
    refused = refusal(READABILITY, right(source=CLEAR, decision=decision, ratio=ratio))
    assert reason in refused
    assert bool(reason) is bool(refused)


@pytest.mark.parametrize(
    ("critique", "reason"),
    [
        ("", ""),
        ("Good names.\nREADABILITY: BETTER\nVERDICT: DONE", ""),
        ("READABILITY: SAME\nVERDICT: IMPROVE", "the critic finds it same"),
        ("**Readability:** worse\nVERDICT: IMPROVE", "the critic finds it worse"),
    ],
)
def test_the_critic_may_object(critique: str, reason: str) -> None:
    assert reason in refusal(READABILITY, replace(right(source=CLEAR), critique=critique))


@pytest.mark.parametrize("source", [TERSE, TERSE.replace("f(", "g("), "t=0\n" + TERSE])
def test_a_text_that_is_no_better_is_refused(source: str) -> None:
    assert "measures are not better" in refusal(READABILITY, right(source=source))


def test_a_loss_counts_twice() -> None:
    commented = "# Reads whole numbers between blanks.\n# Adds them up for the bill.\n" + TERSE
    without_function = "t=0\nfor q in map(int,input().split()):\n    t=t+q\nprint(t)\n# Adds.\n"
    assert (gain(commented, TERSE) or 0) > 0
    assert (gain(without_function, TERSE) or 0) < 0


def test_more_comments_than_enough_do_not_count() -> None:
    some, many = "# The reason.\n" * 3 + CLEAR, "# The reason.\n" * 30 + CLEAR
    assert (gain(many, TERSE) or 0) <= (gain(some, TERSE) or 0)


def test_the_measures_go_into_the_feedback_by_line() -> None:
    text = READABILITY.measure(TERSE)
    assert "comment lines: 0 of 6 (0%)" in text
    assert "functions: 1" in text
    assert "meaningful names: 0 of 4 (0%)" in text
    assert "names that say little: a (line 1), f (line 1), t (line 2), q (line 3)" in text
    assert "complexity: f (line 1) 2" in text
    assert "not measured: syntax error in line 1" in READABILITY.measure("def")
    assert RUNTIME.measure(TERSE) == ""


DONE, MORE = Critique("fine", sufficient=True), Critique("more")


@pytest.mark.parametrize("task", [RUNTIME, READABILITY], ids=lambda task: task.name)
def test_the_critic_is_believed_of_a_draft_that_is_right(task: Task) -> None:
    first = History((original(),))
    assert task.is_sufficient(DONE, first.add(right()))
    assert not task.is_sufficient(MORE, first.add(right()))
    assert not task.is_sufficient(DONE, first)
    assert not task.is_sufficient(DONE, first.add(wrong()))


def test_readability_does_not_stop_at_a_slow_draft() -> None:
    slow = right(decision=Decision.SLOWER, ratio=0.5)
    assert not READABILITY.is_sufficient(DONE, History((original(), slow)))
