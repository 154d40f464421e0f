"""Search strategies, one a file: the paper's chain, independent chains, a population.

A strategy chooses the drafts that the next one is made from.

A search is a module of this folder, an entry point of the group `codeopt.searches`, or any module by its dotted path
(setting `search`), with one

    @search
    def next_move(position: Position) -> Move | Stop: ...

It has no state of its own: it decides from the candidates alone, so a killed run continues unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

from codeopt.core import plugins
from codeopt.core.history import Candidate, History
from codeopt.tasks import Task

GROUP = "codeopt.searches"
DEFAULT = "chain"
NOTHING_LEFT = "nothing left to improve"
PATIENCE = 2
"""Rounds in a row without a gain after which a chain cannot pay; see `stalled`."""


@dataclass(frozen=True)
class Move:
    """Choice of the candidates that the next round starts from."""

    shown: tuple[int, ...]
    """Rounds that the proposer sees, oldest first. It continues from the last of them."""
    parents: tuple[int, ...]
    """The rounds of `shown` that the draft is made from. The last is the last of `shown`."""
    chain: int = 0
    """Number of the independent chain that it belongs to, from 1. 0 if there is only one."""
    remark: str = ""
    """Sentence to the proposer, in addition to the shown candidates."""


@dataclass(frozen=True)
class Stop:
    """Decision to run no further round."""

    reason: str


@dataclass(frozen=True)
class Position:
    """The state that a search decides from, whole."""

    history: History
    task: Task
    chains: int = 2
    """Number of independent chains, if the search has several."""
    patience: int | None = None
    """Rounds in a row without a gain that end a chain. 0: none ever do. None: the search's own number."""
    seed: int = 0
    """Seed of random choices, the same in every session of a run."""

    @property
    def turns(self) -> int:
        """Rounds of the budget that were played."""
        return max((candidate.turn for candidate in self.history.candidates), default=0)

    def stalled(self, line: Sequence[Candidate], usual: int = PATIENCE) -> str:
        """Return the reason why a line of candidates, oldest first, is given up. Empty if it is not.

        Only a task of time has a default patience. For other tasks each round costs the same, and any round may gain.
        """
        usual = usual if self.task.needs_time else 0
        patience = usual if self.patience is None else self.patience
        best: Candidate | None = None
        # last rounds that were right without a gain; a wrong one does not count: the idea may still gain after a fix
        idle: set[int] = set()
        for candidate in line[1:] if patience else ():
            if gains(candidate, best, self.task, self.history.original):
                best, idle = candidate, set()
            elif best is not None and candidate.turn and candidate.correct and candidate.turn != best.turn:
                idle.add(candidate.turn)
        return f"{patience} rounds in a row without a measurable gain" if len(idle) >= patience > 0 else ""


@dataclass(frozen=True)
class Search:
    """One way to search, made by `@search`."""

    next_move: Callable[[Position], Move | Stop]
    """Returns the next move, or a stop with its reason."""

    def __post_init__(self) -> None:
        """Raise ValueError for a function of another name, which would be looked for in vain."""
        if self.next_move.__name__ != "next_move":
            raise ValueError(f"@search makes a search of next_move(position), not of {self.next_move.__name__}")

    def __call__(self, position: Position) -> Move | Stop:
        return self.next_move(position)


def search(next_move: Callable[[Position], Move | Stop]) -> Search:
    """Make a search of a function `next_move(position: Position) -> Move | Stop`.

    Raises:
        ValueError: The function has another name.
    """
    return Search(next_move)


def open_search(name: str) -> Search:
    """The search behind a name: a file of this folder, an entry point, or a dotted path. Raises UsageError."""
    return search_of(plugins.load(GROUP, name))


def search_of(module: ModuleType) -> Search:
    """Return the search that a module makes. Raises UsageError without one."""
    return plugins.made_by(module, "search", "next_move", Search, "@search")


def view(history: History, move: Move) -> History:
    """The history as the proposer sees it: the rounds of the move, each with the critique that the next one answers."""
    rounds = [history.candidates[number] for number in move.shown]
    for at, following in enumerate(rounds[1:]):
        if following.answers and following.parents[-1:] == (rounds[at].round,):
            rounds[at] = replace(rounds[at], critique=following.answers)
    turn = max(candidate.turn for candidate in history.candidates)
    return History(tuple(rounds), remark=move.remark, turn=turn)


def gains(new: Candidate, best: Candidate | None, task: Task, original: Candidate) -> bool:
    """Return whether a candidate is better than the best before it, outside its interval.

    For times its whole interval must lie above the other's estimate. A rule that the two intervals must not overlap
    would miss a step of 1.6x after 20x.
    """
    score = task.score(new, original)
    if score is None or best is None:
        return score is not None
    if task.needs_time and new.comparison and best.comparison:
        return new.comparison.ci_low > best.comparison.ratio
    return score > (task.score(best, original) or 0.0)
