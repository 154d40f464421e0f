"""Which round ends a run, which model has the next one, and which of several right drafts comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from codeopt.core.budget import Budget, Ledger
from codeopt.core.history import Candidate, Critique, Draft, History, Proposer
from codeopt.core.revision import Revision
from codeopt.engine.loop import RefineLoop
from codeopt.proposers.language_model import TakeTurns
from codeopt.tasks import open_task
from tests.support.candidates import original, right, wrong

TASK = open_task("runtime")
LOOP = "for i in range(9):\n    print(i)\n"
JOIN = "print('\\n'.join(map(str, range(9))))\n"


class Named:
    """Writes its own name, unless nothing is left for it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def critique(self, history: History) -> Critique:
        return Critique(self.name, exhausted=not self.name)

    def refine(self, history: History) -> Draft:
        return Draft(Revision.of(f"print({self.name!r})\n"), self.name)

    def preferred(self, history: History) -> None:
        return None


def loop(*candidates: Candidate, name: str = "", **fields: Any) -> RefineLoop:
    """A loop that asks for nothing more."""
    judge: Any = type("Told", (), {"is_unfinished": staticmethod(lambda candidate: False)})
    history = History(candidates)
    return RefineLoop(cast(Proposer, Named(name)), TASK, judge, Budget(), history, Ledger(), **fields)


def placed(candidate: Candidate, turn: int) -> Candidate:
    return replace(candidate, turn=turn, parents=(turn - 1,))


STEADY = (placed(right(1), 1), placed(right(2, ratio=2.01), 2), placed(right(3, ratio=1.9), 3))


@pytest.mark.parametrize(
    ("candidates", "early", "stops"),
    [
        (STEADY, True, True),
        (STEADY, False, False),
        (STEADY[:2], True, False),
        ((*STEADY[:2], placed(right(3, ratio=3.0), 3)), True, False),
        ((placed(right(1), 1), placed(wrong(2), 2), placed(wrong(3), 3)), True, False),
        ((placed(wrong(1), 1), placed(wrong(2), 2), placed(wrong(3), 3)), True, False),
    ],
    ids=["two idle", "never", "one idle", "a gain", "wrong ones say nothing", "nothing yet"],
)
def test_rounds_without_a_gain_end_a_run(candidates: Sequence[Candidate], early: bool, stops: bool) -> None:
    found = loop(original(), *candidates, ends_early=early)
    found._headroom = {each.round: "" for each in candidates}
    found.run()
    assert ("without a measurable gain" in found.stopped) is stops, found.stopped
    assert found.finished


def test_a_draft_that_is_settled_ends_a_run() -> None:
    found = loop(original(), replace(placed(right(1), 1), settled=True), ends_early=False)
    found.run()
    assert found.stopped == "nothing left to improve"


def test_of_drafts_that_are_as_good_the_smallest_change_comes_first() -> None:
    """By several aims, too; a draft that is plainly better goes before a smaller change."""
    small, whole = LOOP.replace("print(i)", "print(i, end=chr(10))"), JOIN + "# all of it\n"
    for task in (TASK, open_task("runtime,readability")):
        for gains, first in (((2.0, 2.02), small), ((2.02, 2.0), small), ((1.5, 2.0), whole)):
            drafts = (right(1, small, ratio=gains[0]), right(2, whole, ratio=gains[1]))
            first_one = replace(original(), revision=Revision.of(LOOP))
            found = [each.revision for each in replace(loop(first_one, *drafts), task=task).ranked()]
            assert (len(found), found[0].text) == (2, first), (task.name, gains)


def test_models_take_turns_by_round() -> None:
    team = TakeTurns(cast("list[Proposer]", [Named("a"), Named("b")]))
    history = History((original(),))
    assert team.name == "a,b"
    assert [team.critique(replace(history, turn=turn)).text for turn in range(3)] == ["a", "b", "a"]
    assert [team.refine(replace(history, turn=turn)).summary for turn in range(3)] == ["a", "b", "a"]
