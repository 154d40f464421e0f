"""The places in a program that are worth looking at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeVar

from codeopt.rules import Hot
from codeopt.rules._module import Module, last_line

Node = TypeVar("Node", bound=ast.expr | ast.stmt)


def hot_nodes(module: Module, hot: Hot, kind: type[Node]) -> Iterator[Node]:
    """Nodes of a kind of which some line is worth changing."""
    return (n for n in module.walk() if isinstance(n, kind) and hot.touches(n.lineno, last_line(n)))
