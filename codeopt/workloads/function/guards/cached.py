"""Functions that newly remember their answers, and what that was worth in the timing: a note for the reader."""

from __future__ import annotations

import ast

from codeopt.analysis.positions import Def
from codeopt.workloads import Consequence, Finding, Gain, guard
from codeopt.workloads.function.timing.plan import CallPlan
from codeopt.workloads.source.functions import definitions

_CACHES = ("cache", "lru_cache", "cached_property")


@guard(applies_to="comparisons")
def check_gain(gain: Gain) -> Finding | None:
    """A note on the caches that the draft has and the original has not.

    No call is timed twice with the same arguments in one process, so a cache of whole answers gains nothing; one of
    parts gains where the calls share them, as they may in the program that makes them.
    """
    new = newly_cached(gain.draft.text, gain.original.text)
    if not new or not isinstance(gain.plan, CallPlan):
        return None
    batch = gain.plan.timed.batch
    calls = len(batch.calls) - batch.warm
    share = "one call" if calls == 1 else f"{calls} calls with different arguments"
    return Finding(
        Consequence.NOTE,
        f"it newly remembers the answers of {' and '.join(new)} between calls; in the timing only {share} shared them",
    )


def newly_cached(draft: str, original: str) -> list[str]:
    """Names of what remembers answers from call to call in a draft, and does not in the original."""
    return sorted(_cached(draft) - _cached(original))


def _cached(source: str) -> set[str]:
    """Return functions under a caching decorator, and tables of the module that functions fill.

    A decorated function within a function does not count: its cache ends with the outer call.
    """
    tree = ast.parse(source)
    functions = list(definitions(tree))
    names = {name for name, _ in functions}
    found = _tables(tree, [node for _, node in functions])
    for name, node in functions:
        for decorator in node.decorator_list:
            call = decorator.func if isinstance(decorator, ast.Call) else decorator
            is_cache = (call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "")) in _CACHES
            if is_cache and name.rpartition(".")[0] not in names:
                found.add(name)
    return found


def _tables(tree: ast.Module, functions: list[Def]) -> set[str]:
    """Dictionaries that the module begins with empty, and in which a function stores something by a key."""
    empty = {
        target.id for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and _is_empty(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target]) if isinstance(target, ast.Name)
    }  # fmt: skip
    inner = [each for node in functions for each in ast.walk(node)]
    stored = [n.value for n in inner if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    called = [n.value for n in inner if isinstance(n, ast.Attribute) and n.attr in ("setdefault", "update")]
    return {each.id for each in (*stored, *called) if isinstance(each, ast.Name)} & empty


def _is_empty(value: ast.expr | None) -> bool:
    made = isinstance(value, ast.Call) and not value.args and getattr(value.func, "id", "") == "dict"
    return made or (isinstance(value, ast.Dict) and not value.keys)
