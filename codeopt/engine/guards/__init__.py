"""Guards: checks that reject a draft or a gain, one check a file.

A guard is a module of this folder, of the `guards` folder of a kind of targets (for those alone), or an entry point of
the group `codeopt.guards`, with one or both of

    @guard(order=10)
    def check_source(pair: SourcePair) -> Finding | None: ...    reads a draft before any of it runs

    @guard(region=TimedRegion.CALLS, order=30, applies_to="comparisons", every_round=True)
    def check_gain(gain: Gain) -> Finding | None: ...            checks a measured gain

docs/extend/writing-a-plug-in.md has a complete example.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.workloads import AnyGain, AppliesTo, Consequence, Finding, Gain, Guard, SourcePair, TimedRegion, guard
from codeopt.workloads._guard import CHECK_GAIN, CHECK_SOURCE

__all__ = [
    "AnyGain", "AppliesTo", "Consequence", "Finding", "Gain", "Guard", "SourcePair", "TimedRegion", "gain_findings",
    "guard", "source_findings", "source_notes",
]  # fmt: skip

GROUP = "codeopt.guards"


def source_findings(pair: SourcePair) -> tuple[Finding, ...]:
    """Findings in a draft's text: notes, and the first objection, behind which nothing else is looked for."""
    found: list[Finding] = []
    for each in _guards(CHECK_SOURCE):
        if finding := each(pair):
            found.append(finding)
            if finding.consequence is Consequence.REJECT:
                break
    return tuple(found)


def source_notes(pair: SourcePair) -> tuple[str, ...]:
    """Notes for somebody who reads a draft's text."""
    return tuple(found.reason for found in source_findings(pair) if found.consequence is Consequence.NOTE)


def gain_findings(gain: AnyGain, *, faster: bool = True, in_round: bool = False) -> Iterator[Finding]:
    """Findings against a gain: notes and caveats, and at the end the first objection.

    faster: the draft was measured to be faster. in_round: it is not confirmed yet, and few guards are asked.
    """
    for each in _guards(CHECK_GAIN, *gain.workload.guards):
        if not each.is_asked(gain.workload.region, faster=faster, in_round=in_round):
            continue
        if found := each(gain):
            yield found
            if found.consequence not in (Consequence.NOTE, Consequence.CAVEAT):
                return


def _guards(verb: str, *of_kind: str) -> list[Guard[Any]]:
    """Return the guards of one verb in order, those of a kind too. Raises UsageError for a plug-in without guards."""
    modules = [plugins.load(GROUP, name) for name in (*plugins.names(GROUP), *of_kind)]
    found = [each for module in modules for each in guards_of(module)]
    return sorted((each for each in found if each.verb == verb), key=lambda each: each.order)


@cache
def guards_of(module: ModuleType) -> tuple[Guard[Any], ...]:
    """Return the guards that a module makes. Raises UsageError if it makes no guard."""
    made = [each for each in vars(module).values() if isinstance(each, Guard)]
    own = tuple(each for each in made if each.check.__module__ == module.__name__)
    if not own:
        raise UsageError(f"{module.__name__} is no guard: it decorates no check_source or check_gain with @guard")
    return own
