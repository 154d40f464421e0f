"""Row of an examination: a finding, with the hint where something is wrong or missing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from textwrap import fill

from codeopt.core.screen import COLUMNS


class Health(StrEnum):
    """Weight of a finding."""

    OK = "ok"
    NOTE = "note"  # something is missing that not everybody needs, or holds less here
    FAIL = "fail"  # a promise is broken, or nothing can be judged


SUBJECT_COLUMNS = 20
"""Width of the subjects, columns."""


@dataclass(frozen=True)
class ExamRow:
    """One line of the examination."""

    subject: str
    state: Health
    message: str
    hint: str = ""
    """Advice; empty only where nothing is to be done."""

    @property
    def is_cost(self) -> bool:
        """Return whether it says no more than what a backend costs."""
        return self.state is Health.OK and self.subject.startswith("backend ")

    def __str__(self) -> str:
        """`NOTE  machine               2 cores, load 5.2`, and below it the hint."""
        first, others = f"{self.state.upper():4}  {self.subject:<{SUBJECT_COLUMNS}}  ", " " * (SUBJECT_COLUMNS + 8)
        whole = partial(fill, width=COLUMNS, subsequent_indent=others, break_long_words=False, break_on_hyphens=False)
        rows, hint = whole(self.message, initial_indent=first), whole(self.hint, initial_indent=others)
        return f"{rows}\n{hint}" if self.hint else rows

    def to_json(self) -> dict[str, str]:
        """The row of `codeopt doctor --json`."""
        return {"subject": self.subject, "state": self.state.value, "message": self.message, "hint": self.hint}
