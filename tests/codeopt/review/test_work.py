"""What an error at one target means for the targets after it, and for how the command ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import ModelError, NoSandbox, ProgramError
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.nothing_to_try import NothingToTry
from codeopt.review.work import ReviewBudget, ReviewRun
from codeopt_sandbox.errors import SandboxError

TARGETS = [ReviewTarget("m.py", name, Path("m.py")) for name in ("one", "two")]


class Failing:
    """Improves nothing: each target ends with the same error."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.tried: list[str] = []

    def __call__(self, target: ReviewTarget, *_: object) -> None:
        self.tried.append(target.function)
        raise self.error


@pytest.mark.parametrize(
    ("error", "failure", "tried"),
    [
        (NothingToTry("no rule has a draft"), 0, ["one", "two"]),
        (ProgramError("it fails"), 0, ["one", "two"]),
        (SandboxError("it broke"), 3, ["one", "two"]),
        (ModelError("the prompt is too long", status=413), 4, ["one", "two"]),
        (ModelError("no such model", status=404), 4, ["one"]),
        (ModelError("it does not answer"), 4, ["one"]),
    ],
    ids=repr,
)
def test_only_a_model_that_answers_nobody_ends_the_work(error: Exception, failure: int, tried: list[str]) -> None:
    work, improve = ReviewRun(ReviewBudget()), Failing(error)
    work.run(TARGETS, improve)  # type: ignore[arg-type]
    assert (work.failure, improve.tried) == (failure, tried)
    assert [each.function for each in work.skipped] == ["one", "two"]
    assert [each.function for each in work.left] == [name for name in ("one", "two") if name not in tried]


def test_without_a_sandbox_nothing_was_looked_at() -> None:
    work = ReviewRun(ReviewBudget())
    with pytest.raises(NoSandbox):
        work.run(TARGETS, Failing(NoSandbox("there is none")))  # type: ignore[arg-type]
    assert work.skipped == []


def test_what_all_targets_lack_is_listed_once() -> None:
    work = ReviewRun(ReviewBudget())
    general = Diagnostic("1 test file found, none ran", "No module named 'pytest'", "install it")
    other = Diagnostic("a.py::f: no call could be made", "its type is unknown")
    work.diagnostics += [replace(general, message=f"a.py::f: {general.message}"), other]
    assert work.all_diagnostics([general]) == (general, other)
    assert work.all_diagnostics([]) == tuple(work.diagnostics)
