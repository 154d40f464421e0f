"""Plain records of a batch: its options, its costs, how a problem ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions

Stage = Literal["round", "confirm", "refused", "target"]
"""Purpose of a measurement: a draft's round, the confirmation, a draft that a reader refused, the human's program."""


@dataclass(frozen=True)
class BatchOptions:
    """Options of a batch; they are sent to the workers, which may be on other machines."""

    improve: ImproveOptions
    """Options of each problem; its own cases take the place of those named here."""
    with_target: bool = False
    """Judge the human's program too, where the set has one."""
    max_cost: float | None = None
    """Limit of the whole batch, US dollars."""
    deadline: float | None = None
    """Time after which no round is begun, seconds since the epoch."""
    max_requests: int | None = None
    """Requests at a time at the model's server, over all workers and batches of a machine; None: no limit."""
    interpreter: Interpreter | None = None
    """Interpreter of all programs; None: each node of a cluster, or an image, has its own."""


@dataclass(frozen=True)
class Spent:
    """Cost of all replies of a batch."""

    replies: int
    tokens: int
    cost_usd: float | None
    """US dollars; None: some reply's price is not known."""


@dataclass(frozen=True)
class TimeSpent:
    """Seconds of the clock that a problem took, and the parts of them."""

    seconds: float = 0.0
    waited_s: float = 0.0
    """Waiting for a core."""
    asking_s: float = 0.0
    """Waiting for the model, pauses included."""
    programs_s: float = 0.0
    """Running programs in the sandbox."""
    runs: int = 0
    """Programs that were run."""


@dataclass(frozen=True)
class ProblemResult:
    """End of a problem, or its pause."""

    status: Literal["paused", "done", "failed", "dropped"]
    reason: str
    stopped: str = ""
    fault: Literal["", "model", "sandbox", "program", "busy", "worker"] = ""
    """Culprit of a failure; `busy`: the original did not end in time, perhaps since the machine was too busy."""
    best: Candidate | None = None
    """The accepted draft with its confirmed figures; None: nothing was accepted."""
