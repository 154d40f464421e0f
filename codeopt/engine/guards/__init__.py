"""Why a draft is refused, or a gain not believed: one check a file.

A guard is a module of this folder, or an entry point of the group `codeopt.guards`, with one or both of

    @guard(order=10)
    def check_source(pair: SourcePair) -> Finding | None: ...    reads a draft before anything of it runs

    @guard(region=TimedRegion.CALLS, order=30, applies_to="comparisons", every_round=True)
    def check_gain(gain: Gain) -> Finding | None: ...            looks into a gain that was measured

docs/writing-a-plug-in.md has a whole one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.engine.guards._guard import (
    CHECK_GAIN,
    CHECK_SOURCE,
    USUAL_ORDER,
    AppliesTo,
    Consequence,
    Finding,
    Gain,
    Guard,
    SourcePair,
    guard,
)
from codeopt.workloads import TimedRegion

__all__ = [
    "AppliesTo", "Consequence", "Finding", "Gain", "Guard", "SourcePair", "TimedRegion", "gain_findings", "guard",
    "source_findings", "source_notes",
]  # fmt: skip

GROUP = "codeopt.guards"
OLD_VERBS = {"look": CHECK_SOURCE, "check": CHECK_GAIN}
"""Functions of plug-ins of the old form -> what they are now."""


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


def gain_findings(gain: Gain, *, faster: bool = True, in_round: bool = False) -> Iterator[Finding]:
    """Findings against a gain: notes and caveats, and at the end the first objection.

    faster: the draft was measured to be faster. in_round: it is not confirmed yet, and few guards are asked.
    """
    for each in _guards(CHECK_GAIN):
        if not each.is_asked(gain.workload.region, faster=faster, in_round=in_round):
            continue
        if found := each(gain):
            yield found
            if found.consequence not in (Consequence.NOTE, Consequence.CAVEAT):
                return


def _guards(verb: str) -> list[Guard[Any]]:
    """The guards of one verb, in the order in which they are asked. Raises UsageError for a plug-in that has none."""
    found = [each for name in plugins.names(GROUP) for each in guards_of(plugins.load(GROUP, name))]
    return sorted((each for each in found if each.verb == verb), key=lambda each: each.order)


@cache
def guards_of(module: ModuleType) -> tuple[Guard[Any], ...]:
    """The guards that a module makes. Raises UsageError where there are none."""
    made = [each for each in vars(module).values() if isinstance(each, Guard)]
    own = tuple(each for each in made if each.check.__module__ == module.__name__)
    found = own or tuple(_old_form(module))
    if not found:
        raise UsageError(f"{module.__name__} is no guard: it decorates no check_source or check_gain with @guard")
    return found


def _old_form(module: ModuleType) -> Iterator[Guard[Any]]:
    """The guards of a module whose functions are not decorated, as all were before 0.2."""
    values = vars(module)
    for old, verb in OLD_VERBS.items():
        if old not in values:
            continue
        plugins.warn_once(
            f"the guard {module.__name__} is of the old form, which the next release refuses: decorate its {old}() "
            f"with @guard(...) and call it {verb}() (docs/writing-a-plug-in.md)"
        )

        def check(subject: Any, asked: Any = values[old]) -> Finding | None:
            found: Finding | None = asked(subject)
            return found

        check.__name__ = verb
        order = values.get("ORDER", USUAL_ORDER)
        if verb == CHECK_SOURCE:
            yield Guard(check, order)
        else:
            applies_to: AppliesTo = "comparisons" if values.get("ALWAYS") else "gains"
            yield Guard(check, order, values.get("REGION"), applies_to, bool(values.get("ROUND")))
