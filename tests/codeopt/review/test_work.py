"""What an error at one target means for the targets after it, and for how the command ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.errors import Diagnostic, ModelError, NoSandbox, ProgramError
from codeopt.review.nothing_to_try import NothingToTry
from codeopt.review.ranking import Ranking
from codeopt.review.suggestion import ReviewTarget
from codeopt.review.work import FunctionLoop, ReviewBudget
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
    work, improve = FunctionLoop(ReviewBudget(), TARGETS), Failing(error)
    work.run(improve)  # type: ignore[arg-type]
    assert (work.failure, improve.tried) == (failure, tried)
    rows = work.tried(None).rows
    assert [each.function for each in rows] == ["one", "two"]
    assert [each.function for each in rows if each.is_left] == [name for name in ("one", "two") if name not in tried]


def test_without_a_sandbox_nothing_was_looked_at() -> None:
    work = FunctionLoop(ReviewBudget(), TARGETS)
    with pytest.raises(NoSandbox):
        work.run(Failing(NoSandbox("there is none")))  # type: ignore[arg-type]
    assert work.rows == {}


def test_what_all_targets_lack_is_listed_once() -> None:
    work = FunctionLoop(ReviewBudget())
    general = Diagnostic("1 test file found, none ran", "No module named 'pytest'", "install it")
    other = Diagnostic("a.py::f: no call could be made", "its type is unknown")
    work.diagnostics += [replace(general, message=f"a.py::f: {general.message}"), other]
    assert work.tried(None).diagnostics == tuple(work.diagnostics)
    work.choose(Ranking(diagnostics=(general,)))
    assert work.tried(None).diagnostics == (general, other)
