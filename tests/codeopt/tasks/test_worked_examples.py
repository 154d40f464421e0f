"""The few-shot examples say what is true: their programs are run, their critiques end as asked for."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from codeopt.models._reply import is_done
from codeopt.tasks import Task, WorkedExample, open_task
from codeopt_sandbox.outcome import CaseVerdict

TASKS = [open_task("runtime"), open_task("readability")]
EXAMPLES = [pytest.param(task, example, id=task.name) for task in TASKS for example in task.examples]


@pytest.mark.parametrize(("task", "example"), EXAMPLES)
def test_the_programs_print_what_the_example_says(task: Task, example: WorkedExample) -> None:
    small = example.cases[0]
    for candidate in example.history.candidates:
        command = [sys.executable, "-I", "-c", candidate.source]
        done = subprocess.run(command, input=small.stdin, capture_output=True, check=True, timeout=20)
        told = next(o for o in candidate.outcomes if o.case == small.name)
        expected = small.expected if told.verdict is CaseVerdict.AC else told.run.stdout
        assert done.stdout == expected


@pytest.mark.parametrize(("task", "example"), EXAMPLES)
def test_every_draft_but_the_newest_has_a_critique_that_ends_as_asked_for(task: Task, example: WorkedExample) -> None:
    *earlier, newest = example.history.candidates
    assert all(c.critique.endswith("VERDICT: IMPROVE") for c in earlier)
    assert not newest.critique or is_done(newest.critique)


@pytest.mark.parametrize(("task", "example"), EXAMPLES)
def test_the_newest_draft_would_be_accepted(task: Task, example: WorkedExample) -> None:
    assert not task.why_not(example.history.last, example.history.original)


def test_the_example_of_a_function_does_what_it_says() -> None:
    (example,) = open_task("runtime").function_examples  # type: ignore[attr-defined]
    words = ["b", "a", "a", "b"]
    results = []
    for candidate in example.history.candidates:
        space: dict[str, Any] = {}
        exec(candidate.source, space)
        results.append(space["repeated"](words))
    assert results == [["b", "a"], ["a", "b"], ["b", "a"]]
    assert not open_task("runtime").why_not(example.history.last, example.history.original)


def test_the_examples_show_both_verdicts_and_a_mistake() -> None:
    for task in TASKS:
        critiques = [c.critique for example in task.examples for c in example.history.candidates if c.critique]
        assert {is_done(critique) for critique in critiques} == {True, False}
        assert any(len(example.history.candidates) == 3 for example in task.examples)
