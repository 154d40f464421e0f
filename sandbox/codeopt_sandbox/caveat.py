"""A difference between two programs on unusual inputs: it is shown and does not reject a candidate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

MOST_SHOWN = 200
"""Characters of an input, and of what is done with it, in a line."""
SHOWN = 3
"""Number of kinds of inputs that one caveat names."""


class Tier(StrEnum):
    """Confidence that an input is one that the code is for; it decides what a difference on it means."""

    KNOWN = "known"
    """Tests, cases, recorded and given calls: the draft is rejected."""
    SIMILAR = "similar"
    """Generated, of the formats, types and relations that the known ones have: the draft is rejected."""
    UNUSUAL = "unusual"
    """Any other input: a difference is a caveat."""
    EXCLUDED = "excluded"
    """An input that the user excludes: a difference is never more than a caveat."""


class CaveatKind(StrEnum):
    INPUT = "input"
    """An input of a type, sign, alphabet or relation that no known one has."""
    TEXT = "text"
    """The text of an exception, or on standard error."""
    FLOATS = "floats"
    """The last bits of floats."""
    PRIVATE = "private"
    """Attributes that only the object itself looks at."""
    INTERFACE = "interface"
    """Methods of a result that callers rarely use."""
    SPEED = "speed"
    """Slower on another shape of input."""
    LAYOUT = "layout"
    """White space in what is printed."""
    MEMORY = "memory"
    ENVIRONMENT = "environment"
    """State of the machine that the code reads in addition to its input, such as clocks."""
    EVIDENCE = "evidence"
    """Too little could be tried."""


@dataclass(frozen=True)
class Caveat:
    """The smallest input that shows a difference, with both outcomes."""

    kind: CaveatKind
    input: str
    """The input in a few words, or its text cut to a line."""
    expected: str
    """Behaviour of the original, for people."""
    got: str
    """Behaviour of the draft, for people."""
    cause: str = ""
    """Reason why the input is unusual: `no known input has a negative number`."""
    reproduce: str = ""
    """Shell line that shows the difference again. Empty if there is no such line."""
    held_out: bool = False
    """Found on what a proposer is never shown."""
    tier: Tier = Tier.UNUSUAL
    max_float_difference: float = 0.0
    """The largest difference between floats, of `FLOATS`."""
    count: int = 1
    """Number of inputs that show the same for the same reason."""
    lines: tuple[int, ...] = ()
    """Lines that no input runs, of `EVIDENCE`."""
    domain: tuple[str, ...] = ()
    """What sets such inputs apart from all known ones: `letters other than A, C, G, T for `strand``."""

    @property
    def words(self) -> str:
        """One line for people."""
        far = f", at most {self.max_float_difference:.1g} apart" * bool(self.max_float_difference)
        why = f" ({self.cause}{far})" if self.cause else ""
        more = f" and {self.count - 1} more" * (self.count > 1)
        given, expected, got = cut(self.input), cut(self.expected), cut(self.got)
        if self.domain and expected:
            instead = expected.removeprefix("returns ") if got.startswith("returns ") else expected
            return f"only for {self.cause}: {got} instead of {instead}, as on {given}{more}"
        where = f"on {given}{more}: " if given else ""
        return f"{where}{got}, where the original: {expected}{why}" if expected else f"{where}{got}{why}"


def cut(text: str, most: int = MOST_SHOWN) -> str:
    """A text on one line, cut behind a word."""
    line = " ".join(text.splitlines())
    if len(line) <= most:
        return line
    head = line[:most]
    return f"{head[: head.rfind(' ')] if ' ' in head[most // 2 :] else head} ..."


def distinct(caveats: Iterable[Caveat]) -> tuple[Caveat, ...]:
    """The caveat with the smallest input for each kind and cause, in order, showable ones first, with the number
    of all. Caveats without a reason are all kept, and those about the domain are one."""
    found: dict[tuple[CaveatKind, str, str], Caveat] = {}
    for caveat in caveats:
        because = "domain" if caveat.domain else caveat.cause
        key = caveat.kind, because, "" if caveat.cause else f"{caveat.input}: {caveat.words}"
        known = found.get(key, caveat)
        best = min(known, caveat, key=lambda each: (each.held_out, len(each.input)))
        count = max(known.count, caveat.count) if known.input == caveat.input else known.count + caveat.count
        domain = tuple(dict.fromkeys((*known.domain, *caveat.domain)))
        more = f", or {len(domain) - SHOWN} further kinds of calls" * (len(domain) > SHOWN)
        cause = ", or ".join(domain[:SHOWN]) + more if domain else best.cause
        found[key] = replace(
            best,
            domain=domain,
            cause=cause,
            max_float_difference=max(known.max_float_difference, caveat.max_float_difference),
            count=count,
        )
    return tuple(found.values())
