"""One finding: what was asked of a function, what the judge said, and by what it is known again."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from codeopt.core.environment_digest import digest_of
from codeopt.report.answer_fields import MachineFields, read, serialize
from codeopt.review.suggestion import Suggestion

FORMAT = 4
"""Version of the JSON below."""


@dataclass(frozen=True)
class FindingKey:
    """Digests of everything that decides a verdict; a finding holds where all of them are the same."""

    place: str
    """Path below the project's root, `::` and the function."""
    reached: str
    """The function's text and what it reaches in the project."""
    evidence: str
    """Tests, cases and calls that it is judged by."""
    python: str
    """Version of the interpreter and of its packages."""
    asked: str
    """Options that decide: who drafts, what better means, how answers are compared."""
    judge: str
    """Digest of codeopt's own code."""

    @property
    def digest(self) -> str:
        return digest_of(vars(self))


@dataclass(frozen=True)
class StoredFinding:
    """A verdict on one function or program, as the cache keeps it."""

    key: FindingKey
    judged: Suggestion
    reached_after: str = ""
    """Value of `key.reached` for the improved text."""
    command: str = ""
    machine: MachineFields | None = None
    made_at: float = 0.0
    """Time of the verdict, seconds since the epoch."""

    def to_json(self) -> dict[str, Any]:
        """The finding as the cache keeps it."""
        return {"format": FORMAT, **serialize(self)}

    @property
    def when(self) -> str:
        """`checked 2026-03-01 12:30 by codeopt check on 8 cores of ...`, in local time."""
        where = f" on {self.machine.cpu}" if self.machine else ""
        return f"checked {minute(self.made_at)} by codeopt {self.command}{where}"


def finding_of(value: Any, made_at: float) -> StoredFinding | None:
    """Return the finding that `to_json` wrote. None for anything else, since any user may have written the value.

    made_at: time of storing it, seconds since the epoch.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return None
    try:
        found = read(StoredFinding, {name: each for name, each in value.items() if name != "format"})
        _ = found.judged.words  # fails if the ratio is null or 0
    except (ValueError, TypeError, ArithmeticError):
        return None
    return replace(found, made_at=made_at)


def minute(at: float) -> str:
    """`2026-03-01 12:30`, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
