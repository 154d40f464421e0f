"""What a batch knows of itself and of a problem's end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from codeopt.core.history import Candidate

Stage = Literal["round", "confirm", "refused", "target"]
"""What a measurement is of: a draft in its round, what is confirmed, the human's program."""


@dataclass(frozen=True)
class Spent:
    """What all replies of a batch cost."""

    replies: int
    tokens: int
    cost_usd: float | None
    """None: some reply's price is not known."""


@dataclass(frozen=True)
class TimeSpent:
    """Where seconds of the clock went."""

    seconds: float = 0.0
    waited_s: float = 0.0
    asking_s: float = 0.0
    programs_s: float = 0.0
    runs: int = 0


@dataclass(frozen=True)
class ProblemResult:
    """How a problem ended, or for now."""

    status: Literal["paused", "done", "failed", "dropped"]
    reason: str
    stopped: str = ""
    fault: Literal["", "model", "sandbox", "program", "busy", "worker"] = ""
    """busy: the original did not end in time, on a machine that may have been too busy for it."""
    best: Candidate | None = None
    """With its confirmed figures."""
