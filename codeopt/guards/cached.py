"""Which functions newly remember their answers, and what that was worth in the timing: a note for the reader."""

from __future__ import annotations

import ast

from codeopt.guards import Consequence, Finding, Gain
from codeopt.workloads import TimedRegion
from codeopt.workloads.function.function_def import definitions
from codeopt.workloads.function.timing import CallPlan

REGION = TimedRegion.CALLS
ALWAYS = True

_CACHES = ("cache", "lru_cache", "cached_property")


def check(gain: Gain) -> Finding | None:
    """A note on the caches that the draft has and the original has not.

    No call is timed twice with the same arguments in one process, so a cache of whole answers gains nothing; one of
    parts gains where the calls share them, as they may in the program that makes them.
    """
    new = sorted(_cached(gain.draft) - _cached(gain.original))
    if not new or not isinstance(gain.plan, CallPlan):
        return None
    batch = gain.plan.timed.batch
    calls = len(batch.calls) - batch.warm
    share = "one call" if calls == 1 else f"{calls} calls with different arguments"
    return Finding(
        Consequence.NOTE,
        f"it newly remembers the answers of {' and '.join(new)} between calls; in the timing only {share} shared them",
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
