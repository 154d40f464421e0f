"""Names that a module's text imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.workloads.source.functions import dotted


def imported_names(source: str) -> tuple[str, ...]:
    """Return dotted names that a text may import or reach by an import, in any place: `scipy` and `scipy.signal`.

    Some are not modules, such as `math.sqrt`. The tuple is empty for a text that cannot be parsed.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    known = {alias: name for node in ast.walk(tree) for alias, name in _of(node)}
    chains = (dotted(node).partition(".") for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    reached = [f"{known[root]}.{rest}" for root, _, rest in chains if root in known]
    return tuple(dict.fromkeys([*known.values(), *reached]))


def _of(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement binds, each with its dotted name."""
    if isinstance(node, ast.Import):
        for each in node.names:
            top = each.name.partition(".")[0]
            yield from ([(each.asname, each.name)] if each.asname else [(top, top), (each.name, each.name)])
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for each in node.names:
            yield each.asname or each.name, node.module if each.name == "*" else f"{node.module}.{each.name}"
