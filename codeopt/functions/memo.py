"""Which functions newly remember their answers, and what that was worth in the timing."""

from __future__ import annotations

import ast

from codeopt.functions.target import definitions
from codeopt.functions.timing import Timed

_CACHES = ("cache", "lru_cache", "cached_property")


def remembered(new: str, old: str, timed: Timed) -> tuple[str, ...]:
    """A note for each cache that the new text has and the old one has not.

    No call is timed twice with the same arguments in one process, so a cache of whole answers gains nothing; one of
    parts gains where the calls share them, as they may in the program that makes them.
    """
    calls = len(timed.batch.calls) - timed.batch.warm
    share = "one call" if calls == 1 else f"{calls} calls with different arguments"
    return tuple(
        f"it newly remembers the answers of {name} between calls; in the timing only {share} shared them"
        for name in sorted(_cached(new) - _cached(old))
    )


def _cached(source: str) -> set[str]:
    """Functions under a caching decorator, nested ones left out: their cache ends with the call."""
    found = set()
    for name, node in definitions(ast.parse(source)):
        for decorator in node.decorator_list:
            call = decorator.func if isinstance(decorator, ast.Call) else decorator
            if (call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "")) in _CACHES:
                found.add(name)
    return found
