"""Row of an examination: a finding, with the remedy where something is wrong or missing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """Weight of a finding."""

    OK = "ok"
    NOTE = "note"  # something is missing that not everybody needs, or holds less here
    FAIL = "fail"  # a promise is broken, or nothing can be judged


@dataclass(frozen=True)
class ExamRow:
    """One line of the examination."""

    subject: str
    state: Health
    found: str
    remedy: str = ""
    """Advice; empty only where nothing is to be done."""

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.state.upper():4}  {self.subject}: {self.found}{remedy}"

    def to_json(self) -> dict[str, str]:
        """The row of `codeopt doctor --json`."""
        return {"subject": self.subject, "state": self.state.value, "found": self.found, "remedy": self.remedy}
