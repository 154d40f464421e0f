"""Call tree of a profile: each function with its time, below the one that calls it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codeopt.report.stacks.model import Frame, Stack, StackProfile

DEEPEST = 60
"""Maximum depth; what lies deeper counts for the function there."""


@dataclass(frozen=True)
class CallNode:
    """A function as called from one place."""

    frame: Frame
    share: float
    """Share with all callees from there, 0 to 1."""
    own_share: float
    below: tuple[CallNode, ...]
    """The largest first."""

    def walk(self) -> Iterator[CallNode]:
        """This node and all below it."""
        yield self
        for each in self.below:
            yield from each.walk()


def call_tree(profile: StackProfile, least: float = 0.0) -> tuple[CallNode, ...]:
    """Build the tree, from the outermost functions down.

    least: minimum share of a kept node.
    """
    rows = [(stack[:DEEPEST], weight) for stack, weight in profile.weights]
    return _nodes(rows, 0, profile.total or 1.0, least)


def _nodes(rows: Sequence[tuple[Stack, float]], depth: int, whole: float, least: float) -> tuple[CallNode, ...]:
    """Return nodes at a depth, of stacks that are equal above it. Functions that differ only by line are merged."""
    inside: dict[tuple[str, str], list[tuple[Stack, float]]] = {}
    for row in rows:
        if len(row[0]) > depth:
            frame = row[0][depth]
            inside.setdefault((frame.name, frame.file), []).append(row)
    nodes = []
    for found in inside.values():
        total = sum(weight for _, weight in found)
        if total >= least * whole:
            own = sum(weight for stack, weight in found if len(stack) == depth + 1)
            frame = found[0][0][depth]
            nodes.append(CallNode(frame, total / whole, own / whole, _nodes(found, depth + 1, whole, least)))
    return tuple(sorted(nodes, key=lambda node: -node.share))
