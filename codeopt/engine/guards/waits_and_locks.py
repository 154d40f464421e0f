"""Does a draft leave out a lock, or what lets others run? Calls from one thread cannot show it; the text can."""

from __future__ import annotations

import ast

from codeopt.analysis.nodes import Def
from codeopt.engine.guards import Consequence, Finding, SourcePair, guard
from codeopt.workloads.source.functions import definitions, dotted, own_nodes

LOCKS = ("lock", "mutex", "semaphore", "condition")
"""Parts of the names of locks; `threading.Lock()` is found by its own."""


@guard(order=90)
def check_source(pair: SourcePair) -> Finding | None:
    """A note on functions that took a lock, or awaited something, and no longer do."""
    found = []
    for texts in pair.texts:
        try:
            old, new = (dict(definitions(ast.parse(text))) for text in texts)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for name, node in old.items():
            if name in new and (gone := sorted(_locks(node) - _locks(new[name]))):
                found.append(f"{name} no longer takes {' and '.join(gone)}: calls from several threads were not tried")
            if name in new and _awaits(node) and not _awaits(new[name]):
                found.append(f"{name} no longer awaits anything: others have to wait until it ends")
    return Finding(Consequence.NOTE, "; ".join(found)) if found else None


def _locks(node: Def) -> set[str]:
    """Locks that a function enters or acquires, as they are written."""
    entered = [
        item.context_expr for n in own_nodes(node) if isinstance(n, ast.With | ast.AsyncWith) for item in n.items
    ]
    called = [n.func for n in own_nodes(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    taken = [each.value for each in called if each.attr == "acquire"]
    names = {dotted(each) for each in (*entered, *taken)}
    return {name for name in names if any(word in name.rpartition(".")[2].lower() for word in LOCKS)}


def _awaits(node: Def) -> bool:
    return isinstance(node, ast.AsyncFunctionDef) and any(
        isinstance(n, ast.Await | ast.AsyncFor | ast.AsyncWith) for n in own_nodes(node)
    )
