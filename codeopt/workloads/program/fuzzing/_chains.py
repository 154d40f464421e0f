"""Trees that are chains: as deep as they have nodes, deeper than a recursion may be. A draft that makes a recursion of
a loop errs on no others."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from codeopt.workloads.contract.program.layout import InputField, ParsedInput
from codeopt.workloads.program.fuzzing._maker import ConstrainedGenerator

NODES = (3000, 1200)
"""Number of nodes of a chain; the second where the original takes too long for the first. A recursion may usually be
1000 deep."""
NEAR, FEW = 0.25, 20
"""Known inputs are nearly chains where one of some nodes is as deep as this share of them."""
BEYOND = "no known input's tree is nearly a chain"
Edges = list[tuple[int, int]]


@dataclass(frozen=True)
class Tree:
    """Place of a tree in the inputs: two columns of edges, or one list that gives each node its parent."""

    roles: tuple[InputField, ...]

    def edges(self, reading: ParsedInput) -> Edges:
        first = reading.integers(self.roles[0])
        if len(self.roles) == 2:
            return list(zip(first, reading.integers(self.roles[1]), strict=True))
        return [(parent, at) for at, parent in enumerate(first, self.lowest([reading]) + 1)]

    def lowest(self, readings: Sequence[ParsedInput]) -> int:
        """The first node's number."""
        return min((value for each in readings for role in self.roles for value in each.integers(role)), default=0)


def chains(maker: ConstrainedGenerator, readings: Sequence[ParsedInput]) -> Iterator[tuple[int, bytes, str]]:
    """Yield (nodes, input, reason why it is unusual), if the inputs have a tree."""
    tree = next((tree for tree in _possible(maker) if _is_tree(tree, readings)), None)
    if tree is None:
        return
    near = any(_depth(tree.edges(each)) >= NEAR * len(tree.edges(each)) >= NEAR * FEW for each in readings)
    for nodes in NODES:
        data = maker.with_chain(readings[-1], tree.roles, nodes, tree.lowest(readings), _goes_up(tree, readings))
        yield nodes, data, maker.known.why_beyond(data) or ("" if near else BEYOND)


def _possible(maker: ConstrainedGenerator) -> Iterator[Tree]:
    numbers = [role for role in maker.numbers if not maker.layout.parts[role.part].single and role.token is not None]
    for a, b in combinations(numbers, 2):
        if (a.part, a.line) == (b.part, b.line):
            yield Tree((a, b))
    for role in maker.numbers:
        if role.token is None and maker.layout.parts[role.part].single:
            yield Tree((role,))


def _is_tree(tree: Tree, readings: Sequence[ParsedInput]) -> bool:
    """Return True if the edges of each input are one tree, and some input has enough nodes."""
    found = [tree.edges(each) for each in readings]
    if max(map(len, found)) < FEW:
        return False
    if len(tree.roles) == 1:
        return all(parent < node for edges in found for parent, node in edges)
    return all(
        len(_reached(edges)) == len(edges) + 1 == len({n for edge in edges for n in edge}) for edges in found if edges
    )


def _depth(edges: Edges) -> int:
    return max(_reached(edges).values(), default=0)


def _reached(edges: Edges) -> dict[int, int]:
    """The nodes that can be reached from the first, with their distance."""
    beside: dict[int, list[int]] = {}
    for one, other in edges:
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    if not edges:
        return {}
    start = min(beside)
    found, work = {start: 0}, deque([start])
    while work:
        node = work.popleft()
        for other in beside[node]:
            if other not in found:
                found[other] = found[node] + 1
                work.append(other)
    return found


def _goes_up(tree: Tree, readings: Sequence[ParsedInput]) -> bool:
    """The lower number of an edge mostly comes first."""
    edges = [edge for each in readings for edge in tree.edges(each)]
    return 2 * sum(one < other for one, other in edges) >= len(edges)
