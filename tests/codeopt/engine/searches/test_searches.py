"""Where each search goes from a history, and that a run that was killed goes on as it would have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from benchmarks.speedups.search import Chances, Knowing, Stochastic, Truth
from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, Critique, Draft, History, Proposer
from codeopt.core.model import Budget, Ledger
from codeopt.core.revision import Revision
from codeopt.engine.judge import Judge
from codeopt.engine.loop import RefineLoop, SearchPlan
from codeopt.engine.searches import NOTHING_LEFT, Move, Position, Stop, open_search, view
from codeopt.engine.searches.evolve import COMBINE, difference, population
from codeopt.proposers.language_model import TakeTurns
from codeopt.tasks import open_task
from tests.support.candidates import original, right, wrong

TASK = open_task("runtime")
EVEN = Chances(0.3, 0.5, 0.1, 0.5, 0.7, 4, 0.3, 0.1, 0.0, 0.5)
LOOP = "for i in range(9):\n    print(i)\n"
JOIN = "print('\\n'.join(map(str, range(9))))\n"


def position(*candidates: Candidate, **settings: Any) -> Position:
    return Position(History((original(), *candidates)), TASK, **settings)


def placed(candidate: Candidate, turn: int, *parents: int, **fields: Any) -> Candidate:
    return replace(candidate, turn=turn, parents=parents or (turn - 1,), **fields)


def move(search: str, *candidates: Candidate, **settings: Any) -> Move | Stop:
    return open_search(search).next_move(position(*candidates, **settings))


def test_a_chain_goes_on_from_the_newest_with_all_before_it() -> None:
    assert move("chain", placed(right(1), 1), placed(wrong(2), 2)) == Move((0, 1, 2), (2,))
    assert move("chain", placed(right(1), 1, settled=True)) == Stop(NOTHING_LEFT)


STEADY = (placed(right(1), 1), placed(right(2, ratio=2.01), 2), placed(right(3, ratio=1.9), 3))


@pytest.mark.parametrize(
    ("candidates", "patience", "stops"),
    [
        (STEADY, None, True),
        (STEADY, 0, False),
        (STEADY, 3, False),
        (STEADY[:2], None, False),
        ((*STEADY[:2], placed(right(3, ratio=3.0), 3)), None, False),
        ((placed(right(1), 1), placed(wrong(2), 2), placed(wrong(3), 3)), None, False),
        ((placed(wrong(1), 1), placed(wrong(2), 2), placed(wrong(3), 3)), None, False),
    ],
    ids=["two idle", "never", "three wanted", "one idle", "a gain", "wrong ones say nothing", "nothing yet"],
)
def test_rounds_without_a_gain_end_a_chain(candidates: Sequence[Candidate], patience: int | None, stops: bool) -> None:
    found = move("chain", *candidates, patience=patience)
    assert isinstance(found, Stop) is stops
    assert not stops or "without a measurable gain" in cast(Stop, found).reason


def test_chains_of_best_of_take_turns_and_know_nothing_of_each_other() -> None:
    rules = replace(right(1), parents=(0,))
    one, two = placed(wrong(2), 1, 1, chain=1), placed(right(3), 2, 1, chain=2)
    assert move("best-of", rules) == Move((0, 1), (1,), 1)
    assert move("best-of", rules, one) == Move((0, 1), (1,), 2)
    assert move("best-of", rules, one, two) == Move((0, 1, 2), (2,), 1)
    ended = replace(two, settled=True)
    assert move("best-of", rules, one, ended, placed(wrong(4), 3, 2, chain=1)) == Move((0, 1, 2, 4), (4,), 1)


def test_a_population_has_founders_then_parents_and_crossovers() -> None:
    assert move("evolve") == Move((0,), (0,))
    assert move("evolve", placed(wrong(1), 1, 0)) == Move((0,), (0,))
    assert move("evolve", placed(wrong(1), 1, 0), placed(wrong(2), 2, 0)) == Move((0, 2), (2,))
    rules = replace(right(1), parents=(0,))
    assert move("evolve", rules, placed(wrong(2), 1, 1, settled=True)) == Move((0, 1), (1,))
    assert move("evolve", replace(rules, settled=True), placed(wrong(2), 1, 1)) == Stop(NOTHING_LEFT)
    two = placed(right(1, LOOP), 1, 0), placed(right(2, JOIN, ratio=4.0), 2, 0)
    found = [cast(Move, move("evolve", *two, seed=seed)) for seed in range(40)]
    crossed = [each for each in found if each.remark]
    assert {each.remark for each in crossed} == {COMBINE}
    assert {each.shown for each in crossed} <= {(0, 1, 2), (0, 2, 1)}
    assert 5 < len(crossed) < 30
    assert sum(each.parents[-1] == 2 for each in found) > 20  # the better one is drawn more often
    assert move("evolve", *two, seed=3) == found[3]


def test_programs_that_are_alike_are_one_in_the_population() -> None:
    renamed = LOOP.replace("i", "number").replace("prnumbernt", "print").replace("numbern range", "in range")
    assert difference(Revision.of(LOOP), Revision.of(renamed)) < 0.1 < difference(Revision.of(LOOP), Revision.of(JOIN))
    assert difference(Revision.of("print(1)"), Revision.of("abs(1)")) > 0
    people = population(position(right(1, LOOP), right(2, renamed, ratio=3.0), right(3, JOIN), wrong(4)))
    assert {each.round for each in people} == {2, 3}


def test_what_is_shown_has_the_critiques_that_it_answers() -> None:
    base, second = replace(right(1), critique="first"), replace(right(3), parents=(1,), answers="second")
    history = History((original(), base, replace(right(2), parents=(1,)), second))
    assert [c.critique for c in view(history, Move((0, 1, 2), (2,))).candidates][1] == "first"
    assert [c.critique for c in view(history, Move((0, 1, 3), (3,))).candidates][1] == "second"


def test_an_unknown_search_is_one_line() -> None:
    with pytest.raises(UsageError, match="(?s)no search 'random'.*best_of, chain, evolve"):
        open_search("random")


def loop(plan: SearchPlan, rounds: int, history: History | None = None, ledger: Ledger | None = None) -> RefineLoop:
    """The real loop and search, with a judge that knows and a proposer that draws; both go by what they are shown."""
    first = Candidate(0, Revision.of(Truth(True, 0.0, False, 0).source), "the original")
    judge = cast(Judge, Knowing(EVEN, "judge"))
    return RefineLoop(
        Stochastic(EVEN, "drafts"), TASK, judge, Budget(rounds=rounds), history or History((first,)),
        ledger or Ledger(), plan,
    )  # fmt: skip


def test_of_drafts_that_are_as_good_the_smallest_change_comes_first() -> None:
    """By several aims, too; a draft that is plainly better goes before a smaller change."""
    small, whole = LOOP.replace("print(i)", "print(i, end=chr(10))"), JOIN + "# all of it\n"
    for task in (TASK, open_task("runtime,readability")):
        for gains, first in (((2.0, 2.02), small), ((2.02, 2.0), small), ((1.5, 2.0), whole)):
            drafts = (right(1, small, ratio=gains[0]), right(2, whole, ratio=gains[1]))
            history = History((replace(original(), revision=Revision.of(LOOP)), *drafts))
            found = [each.revision for each in replace(loop(SearchPlan(), 1, history), task=task).ranked()]
            assert (len(found), found[0].text) == (2, first), (task.name, gains)


@pytest.mark.parametrize("name", ["chain", "best-of", "evolve"])
def test_a_run_goes_on_from_what_was_saved(name: str) -> None:
    """The next move depends on the saved candidates alone."""
    plan = SearchPlan(open_search(name), patience=0, floor=False, seed=7)
    whole = loop(plan, 6)
    whole.run()
    assert whole.ledger.rounds == 6
    for kept in range(1, 6):
        sofar = History(whole.history.candidates[: kept + 1])
        again = plan.search.next_move(Position(sofar, TASK, patience=0, seed=7))
        following = whole.history.candidates[kept + 1]
        assert isinstance(again, Move)
        assert (again.parents, again.chain) == (following.parents, following.chain)
    assert all(c.effort.tokens_in > 0 for c in whole.history.candidates[1:])


class Named:
    """Writes its own name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def critique(self, history: History) -> Critique:
        return Critique(self.name)

    def refine(self, history: History) -> Draft:
        return Draft(Revision.of(f"print({self.name!r})\n"), self.name)

    def preferred(self, history: History) -> None:
        return None


def test_models_take_turns_by_round() -> None:
    team = TakeTurns(cast("list[Proposer]", [Named("a"), Named("b")]))
    history = History((original(),))
    assert team.name == "a,b"
    assert [team.critique(replace(history, turn=turn)).text for turn in range(3)] == ["a", "b", "a"]
    assert [team.refine(replace(history, turn=turn)).summary for turn in range(3)] == ["a", "b", "a"]
