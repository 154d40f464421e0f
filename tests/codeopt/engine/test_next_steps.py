"""What the last lines say of the time that is left, and of who could go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from codeopt.core.errors import ProgramError
from codeopt.core.history import Candidate
from codeopt.core.options import ImproveOptions
from codeopt.engine.judge import Judge
from codeopt.engine.next_steps import next_steps
from codeopt.report.result import NextSteps
from codeopt.tasks import open_task
from codeopt.workloads import Workload
from codeopt_sandbox.profile import Profile
from tests.support.candidates import original, profile, right

RULES = ImproveOptions(model="rules")
NEXT = "codeopt improve slow.py --model NAME"
UNPROFILED = replace(right(), profile=None)


@dataclass(frozen=True)
class Measured(Workload):
    """A target whose drafts have a profile that is known, or cannot be profiled."""

    profiled: Callable[[str], Profile]

    @property
    def baseline(self) -> Candidate:
        return original()

    def profile(self, source: str) -> Profile:
        return self.profiled(source)


def look(
    best: Candidate | None,
    options: ImproveOptions = RULES,
    task: str = "runtime",
    command: tuple[str, ...] = ("improve", "slow.py"),
    **how: Any,
) -> NextSteps:
    workload = Measured(how.get("profiled", lambda source: profile()))
    judge = Judge(cast(Workload, workload), profiled=False)
    return next_steps(judge, open_task(task), best, options, measure=how.get("measure", True), command=command)


def test_the_original_is_hot_where_nothing_was_accepted() -> None:
    assert ([line.line for line in look(None).hot], look(None).next_step) == ([2, 1], NEXT)


def test_the_best_program_is_profiled_for_it() -> None:
    asked: list[str] = []
    found = look(UNPROFILED, profiled=lambda source: asked.append(source) or profile())
    assert asked == [UNPROFILED.revision]
    assert ([line.line for line in found.hot], found.next_step) == ([2, 1], NEXT)


def test_no_profile_is_taken_that_nobody_wants() -> None:
    for how in ({"measure": False}, {"options": replace(RULES, no_profile=True)}):
        found = look(UNPROFILED, **how)
        assert (found.hot, found.next_step) == ((), NEXT)


def test_after_a_language_model_only_the_lines() -> None:
    found = look(right(), ImproveOptions(model="gpt-5"))
    assert ([line.line for line in found.hot], found.next_step) == ([2, 1], "")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (("improve", "--run", "python main.py"), "codeopt improve --run 'python main.py' --model NAME"),
        (("improve", "a b.py::f", "--model", "rules"), "codeopt improve 'a b.py::f' --model NAME"),
        (("improve", "a.py", "--", "-n", "3"), "codeopt improve a.py --model NAME -- -n 3"),
    ],
)
def test_a_model_is_asked_for_the_same(typed: tuple[str, ...], shown: str) -> None:
    assert look(None, command=typed).next_step == shown


def test_a_profile_that_fails_is_said() -> None:
    def fail(source: str) -> Profile:
        raise ProgramError("it ended")

    found = look(UNPROFILED, profiled=fail)
    assert found.shortfall is not None
    assert found.shortfall.words == "the hot lines of the result are not known: it ended"


def test_nothing_is_hot_for_a_task_that_is_not_about_time() -> None:
    assert look(right(), task="readability") == NextSteps()
