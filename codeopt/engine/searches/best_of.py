"""Independent chains, without knowledge of each other, a round of each in turn. The best of all is confirmed.

With as many chains as rounds this is best@k: that many first drafts of the original.
"""

from __future__ import annotations

from codeopt.core.history import Candidate, History
from codeopt.engine.searches import NOTHING_LEFT, Move, Position, Stop, search


@search
def next_move(position: Position) -> Move | Stop:
    """Continue the chain with the fewest rounds that has not ended."""
    lines = {number: line(position.history, number) for number in range(1, position.chains + 1)}
    ends = {at: NOTHING_LEFT if each[-1].settled else position.stalled(each) for at, each in lines.items()}
    left = [number for number in lines if not ends[number]]
    if not left:
        reasons = set(ends.values())
        return Stop(reasons.pop() if len(reasons) == 1 else f"all {position.chains} chains are at their end")
    turns = {number: len({c.turn for c in lines[number] if c.turn}) for number in left}
    chain = min(left, key=lambda number: (turns[number], number))
    return Move(tuple(c.round for c in lines[chain]), (lines[chain][-1].round,), chain)


def line(history: History, chain: int) -> tuple[Candidate, ...]:
    """Return the candidates of a chain, and those that all chains continue from."""
    return tuple(c for c in history.candidates if c.chain in (0, chain))
