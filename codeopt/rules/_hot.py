"""The places in a program that are worth looking at."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.rules import Hot
from codeopt.rules._module import Module, Node, last_line


def hot_nodes(module: Module, hot: Hot, kind: type[Node]) -> Iterator[Node]:
    """Nodes of a type of which some line is worth changing."""
    return (node for node in module.of_kind(kind) if hot.touches(node.lineno, last_line(node)))
