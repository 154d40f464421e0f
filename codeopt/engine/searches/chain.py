"""The paper's chain: each draft is made from the newest, with the whole history before it (Madaan et al. 2023)."""

from __future__ import annotations

from codeopt.engine.searches import NOTHING_LEFT, Move, Position, Stop, search


@search
def next_move(position: Position) -> Move | Stop:
    """Go on from the newest."""
    history = position.history
    if history.last.settled:
        return Stop(NOTHING_LEFT)
    if stalled := position.stalled(history.candidates):
        return Stop(stalled)
    return Move(tuple(c.round for c in history.candidates), (history.last.round,))
