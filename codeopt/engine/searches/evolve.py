"""A small population for long budgets: parents are drawn by score and by difference, and two are shown to be combined.

OpenEvolve (github.com/algorithmicsuperintelligence/openevolve) shows a parent together with other good programs.
ShinkaEvolve (Lange, Imajuku, Cetin 2025, arXiv:2509.19349) asks for crossovers explicitly. Its chance of a parent is a
sigmoid of the score around the median, divided by one more than its children. A program here is verified within a
minute and a budget has few rounds: no islands, no embeddings, ten programs.
"""

from __future__ import annotations

import ast
import math
import random
from collections import Counter
from collections.abc import Sequence
from statistics import median

from codeopt.core.history import Candidate
from codeopt.core.revision import Revision
from codeopt.engine.searches import NOTHING_LEFT, Move, Position, Stop, search

ALIKE = 0.1
"""Share of their syntax in which two programs must differ to be two in the population."""
PATIENCE = 6
"""Rounds in a row without a gain that end a population; more than for a chain."""
COMBINE = (
    "The last two programs above are both right, and differ. Combine what makes each of them good in one program, "
    "or say in the critique why they cannot be combined and what to do instead."
)


@search
def next_move(position: Position) -> Move | Stop:
    """A first draft of the original, or one made from a parent, or from two."""
    history = position.history
    if stalled := position.stalled(history.candidates, PATIENCE):
        return Stop(stalled)
    free = tuple(c.round for c in history.candidates if not c.turn)
    # number of first drafts of the original, before any of them is a parent
    if len({c.turn for c in history.candidates if c.turn}) < 2:
        return Stop(NOTHING_LEFT) if history.candidates[free[-1]].settled else Move(free, free[-1:])
    people = population(position)
    if people and all(c.settled for c in people):
        return Stop(NOTHING_LEFT)
    if not people:  # no candidate is right yet: repair the newest
        return Move(tuple(dict.fromkeys((*free, history.last.round))), (history.last.round,))
    draw = random.Random(f"{position.seed}:{len(history.candidates)}")
    parent = _parent(position, [c for c in people if not c.settled], draw)
    mate = None
    # chance that a round shows two programs to combine, once there are two
    if draw.random() < 0.4:  # with the one of the population that differs most
        others = [each for each in people if each is not parent]
        mate = max(others, key=lambda other: difference(parent.revision, other.revision), default=None)
    if mate is None:
        return Move(_shown(position, parent), (parent.round,))
    return Move((0, mate.round, parent.round), (mate.round, parent.round), remark=COMBINE)


def population(position: Position) -> list[Candidate]:
    """Return the best right candidates without the original. Of similar ones only the best is included."""
    people: list[Candidate] = []
    for candidate in sorted(position.history.candidates[1:], key=lambda c: -_fitness(position, c)):
        if candidate.correct and all(difference(candidate.revision, other.revision) >= ALIKE for other in people):
            people.append(candidate)
    # largest number of programs: of all that are right the best, and those unlike any better one
    return people[:10]


def difference(one: Revision, other: Revision) -> float:
    """Return 0 for the same syntax with any names, 1 if no part is shared."""
    a, b = _syntax(one), _syntax(other)
    return 1 - (a & b).total() / max((a | b).total(), 1)


def _syntax(revision: Revision) -> Counter[str]:
    return sum(map(_nodes, revision.values()), Counter())


def _nodes(source: str) -> Counter[str]:
    """Each node with its parent's kind, counted; calls and operators by what they are."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Counter(source.split())
    pairs = ((type(node).__name__, _kind(child)) for node in ast.walk(tree) for child in ast.iter_child_nodes(node))
    return Counter(f"{outer}/{inner}" for outer, inner in pairs)


def _kind(node: ast.AST) -> str:
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return f"{type(node).__name__} {name}"


def _fitness(position: Position, candidate: Candidate) -> float:
    """The logarithm of its score; of one that is right and not better, a little less than the original's."""
    score = position.task.score(candidate, position.history.original)
    return math.log(score) if score is not None and score > 0 else -0.1


def _parent(position: Position, people: Sequence[Candidate], draw: random.Random) -> Candidate:
    """Better ones more often, those with many children less often."""
    fitness = [_fitness(position, candidate) for candidate in people]
    middle = median(fitness)
    spread = median([abs(value - middle) for value in fitness]) or 1.0
    children = Counter(c.parents[-1] for c in position.history.candidates if c.parents)
    # Slope of the sigmoid: how much more often a good parent is drawn than a middling one
    weights = [
        1 / (1 + math.exp(-3.0 * (value - middle) / spread)) / (1 + children[candidate.round])
        for value, candidate in zip(fitness, people, strict=True)
    ]
    return draw.choices(people, weights)[0] if sum(weights) else people[0]


def _shown(position: Position, parent: Candidate) -> tuple[int, ...]:
    """The original, what the parent was made from, what came of it before, and the parent."""
    children = [c.round for c in position.history.candidates if c.parents[-1:] == (parent.round,)]
    earlier = [number for number in (*parent.parents, *children[-2:]) if number != parent.round]
    return (*sorted({0, *earlier}), parent.round)
