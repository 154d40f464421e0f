"""Which drafts the next one is made from: the paper's chain, independent chains, a population. One search a file.

A search is a module of this folder, an entry point of the group `codeopt.searches`, or any module by its dotted path
(`--search`), with one

    @search
    def next_move(position: Position) -> Move | Stop: ...

It keeps nothing: all that it goes by stands in the candidates, so that a run that was killed goes on as it would have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, History
from codeopt.tasks import Task

GROUP = "codeopt.searches"
DEFAULT = "chain"
NOTHING_LEFT = "nothing left to improve"
PATIENCE = 2
"""Rounds in a row without a gain after which a chain cannot pay; see `stalled`."""


@dataclass(frozen=True)
class Move:
    """What the next round is made from."""

    shown: tuple[int, ...]
    """The rounds that the proposer sees, oldest first; it goes on from the last of them."""
    parents: tuple[int, ...]
    """The rounds of `shown` that the draft is made from; the last is the last of `shown`."""
    chain: int = 0
    """Number of the independent chain that it belongs to, from 1; 0 where there is one alone."""
    remark: str = ""
    """A sentence to the proposer, beside what it is shown."""


@dataclass(frozen=True)
class Stop:
    """No further round."""

    reason: str


@dataclass(frozen=True)
class Position:
    """The state that a search decides from, whole."""

    history: History
    task: Task
    chains: int = 2
    """Number of independent chains, where the search has such."""
    patience: int | None = None
    """Rounds in a row without a gain that end a chain; 0: none ever do; None: the search's own number."""
    seed: int = 0
    """Seed of whatever is drawn; the same in every sitting of a run."""

    @property
    def turns(self) -> int:
        """Rounds of the budget that were played."""
        return max((candidate.turn for candidate in self.history.candidates), default=0)

    def stalled(self, line: Sequence[Candidate], usual: int = PATIENCE) -> str:
        """Why a line of candidates, oldest first, is given up; empty when it is not. Only a task of time has a usual
        patience: of others each round costs the same and may bring anything."""
        usual = usual if self.task.needs_time else 0
        patience = usual if self.patience is None else self.patience
        if patience and _without_gain(line, self.task, self.history.original) >= patience:
            return f"{patience} rounds in a row brought no gain beyond the interval"
        return ""


@dataclass(frozen=True)
class Search:
    """One way to search; made by `@search`."""

    next_move: Callable[[Position], Move | Stop]
    """Answers what the next round is made from, or why there is none."""

    def __post_init__(self) -> None:
        """Raise ValueError for a function of another name, which would be looked for in vain."""
        if self.next_move.__name__ != "next_move":
            raise ValueError(f"@search makes a search of next_move(position), not of {self.next_move.__name__}")

    def __call__(self, position: Position) -> Move | Stop:
        """Ask it."""
        return self.next_move(position)


def search(next_move: Callable[[Position], Move | Stop]) -> Search:
    """Make a search of a function `next_move(position: Position) -> Move | Stop`. Raises ValueError."""
    return Search(next_move)


def open_search(name: str) -> Search:
    """The search behind a name: a file of this folder, an entry point, or a dotted path. Raises UsageError."""
    return search_of(plugins.load(GROUP, name))


def search_of(module: ModuleType) -> Search:
    """The search that a module makes. Raises UsageError where there is none."""
    found = vars(module).get("next_move")
    if isinstance(found, Search):
        return found
    if not callable(found):
        raise UsageError(f"{module.__name__} is no search: it decorates no next_move with @search")
    plugins.warn_once(
        f"the search {module.__name__} is of the old form, which the next release refuses: decorate its next_move() "
        "with @search (docs/writing-a-plug-in.md)"
    )
    return Search(found)


def view(history: History, move: Move) -> History:
    """The history as the proposer sees it: the rounds of the move, each with the critique that the next one answers."""
    rounds = [history.candidates[number] for number in move.shown]
    for at, following in enumerate(rounds[1:]):
        if following.answers and following.parents[-1:] == (rounds[at].round,):
            rounds[at] = replace(rounds[at], critique=following.answers)
    turn = max(candidate.turn for candidate in history.candidates)
    return History(tuple(rounds), remark=move.remark, turn=turn)


def gains(new: Candidate, best: Candidate | None, task: Task, original: Candidate) -> bool:
    """Whether a candidate is better than the best before it beyond its interval.

    For times all of its interval lies above the other's estimate; two intervals that must not meet would not see a
    step of 1.6x behind 20x.
    """
    score = task.score(new, original)
    if score is None or best is None:
        return score is not None
    if task.needs_time and new.comparison and best.comparison:
        return new.comparison.ci_low > best.comparison.ratio
    return score > (task.score(best, original) or 0.0)


def _without_gain(line: Sequence[Candidate], task: Task, original: Candidate) -> int:
    """Rounds at the end of a line that were right and no gain over the best before.

    Incorrect drafts do not count: the idea may still pay once it is mended.
    """
    best: Candidate | None = None
    idle: set[int] = set()
    for candidate in line[1:]:
        if gains(candidate, best, task, original):
            best, idle = candidate, set()
        elif best is not None and candidate.turn and candidate.correct and candidate.turn != best.turn:
            idle.add(candidate.turn)
    return len(idle)
