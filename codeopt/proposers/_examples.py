"""Worked examples: improvements that were really run, to show a model what a good critique and a good draft look like.

Each is a text file in the form of the prompt itself. Its parts stay apart, as `--feedback` leaves some of them out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, History
from codeopt.core.program import read_text
from codeopt.core.revision import Revision

_ROUND = re.compile(
    r"^## Round (?P<number>\d+): (?P<summary>[^\n]*)\n```python\n(?P<program>.*?)^```\n"
    r"(?P<about>.*?)(?:^### Measured\n(?P<measured>.*?))?(?:^### Critique\n(?P<critique>.*?))?(?=^## Round |\Z)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class WorkedExample:
    """The original and its drafts. All except the newest have a critique."""

    history: History
    about: str
    """The facts of the original that a Briefing has."""
    measured: Mapping[int, str]
    """What was measured, by round."""

    @classmethod
    def read(cls, path: Path) -> WorkedExample:
        """Read a file of `## Round N: SUMMARY` with a program, `### Measured` and `### Critique`. Raises UsageError."""
        rounds = list(_ROUND.finditer(read_text(path)))
        if len(rounds) < 2:
            raise UsageError(f"{path}: a worked example has at least two parts '## Round N: SUMMARY' with a program")
        candidates = [
            Candidate(
                round=int(each["number"]), revision=Revision.of(each["program"]), summary=each["summary"],
                critique=(each["critique"] or "").strip(),
            )
            for each in rounds
        ]  # fmt: skip
        measured = {int(each["number"]): (each["measured"] or "").strip() for each in rounds}
        return cls(History(tuple(candidates)), rounds[0]["about"].strip(), measured)
