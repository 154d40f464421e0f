"""The nodes of a program in source order: the nodes below a node are one slice of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LEAVES = (ast.Name, ast.Constant, ast.operator, ast.cmpop, ast.unaryop, ast.boolop)
"""Types of node, more than half of all, that hold only a context."""


@dataclass(frozen=True, eq=False)
class Order:
    """The order of one program's nodes, made once: the rules ask for the same parts again and again."""

    nodes: tuple[ast.AST, ...]
    """All nodes but Load, Store and Del, which are in their nodes and are shared by the parser, as operators are."""
    extent: Mapping[ast.AST, tuple[int, int]]
    """Start and end in `nodes` of a node with all that is below it."""
    kinds: Mapping[type, Sequence[ast.AST]]
    """The nodes of each type."""
    depth: int
    """Depth of the deepest node."""

    @classmethod
    def of(cls, tree: ast.AST) -> Order:
        """Go through the tree once, children after their parents."""
        nodes: list[ast.AST] = []
        parents: list[int] = []
        stack = [(tree, 0, 0)]
        deepest = 0
        while stack:
            node, parent, depth = stack.pop()
            place = len(nodes)
            nodes.append(node)
            parents.append(parent)
            if not isinstance(node, LEAVES):
                deepest = max(deepest, depth)
                stack.extend([(child, place, depth + 1) for child in reversed(_children(node))])
        ends = list(range(1, len(nodes) + 1))
        for place in range(len(nodes) - 1, 0, -1):
            if ends[parents[place]] < ends[place]:
                ends[parents[place]] = ends[place]
        kinds: dict[type, list[ast.AST]] = {}
        for node in nodes:
            kinds.setdefault(type(node), []).append(node)
        return cls(tuple(nodes), {node: (place, ends[place]) for place, node in enumerate(nodes)}, kinds, deepest)

    def below(self, root: ast.AST) -> tuple[ast.AST, ...]:
        """A node and all nodes in it."""
        start, end = self.extent[root]
        return self.nodes[start:end]

    def holds(self, root: ast.AST, node: ast.AST) -> bool:
        """Whether the node is `root`, or is in it."""
        start, end = self.extent[root]
        return start <= self.extent[node][0] < end


def _children(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            found.append(value)
    return found
