"""Plain records of a batch: its options and facts, its problems, what each took and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any, Literal

from codeopt.batch.datasets import Problem
from codeopt.core.budget import NOTHING_USED, Usage
from codeopt.core.history import Candidate
from codeopt.core.interpreter import Interpreter
from codeopt.core.model import Reply
from codeopt.core.options import ImproveOptions

SCHEMA = "codeopt.batch/1"
"""Version of the files of a batch."""
FINAL = ("done", "failed", "skipped")
"""States that a problem does not leave by itself."""
Status = Literal["pending", "running", "paused", "done", "failed", "skipped"]
"""State of a problem:

pending  not begun
running  a worker has it; after a crash it is taken up again where its last saved round ended
paused   the budget of the whole batch ended in the middle of it; the same command with a larger one continues
done     ended; `accepted` says whether with a faster program, `reason` why not
failed   the model, the sandbox or we ourselves failed: `fault` says which, `reason` how; --retry-failed tries again
skipped  its original cannot be judged: not Python 3, fails its own cases, prints something else each time
"""
Fault = Literal["", "model", "sandbox", "program", "busy", "worker"]
"""Culprit of a failure; `busy`: the original did not end in time, perhaps since the machine was too busy."""
Stage = Literal["confirm", "refused", "target"]
"""Purpose of a measurement outside the rounds: the confirmation, a draft that a reader refused, the human's program."""


@dataclass(frozen=True)
class BatchOptions:
    """Options of a batch; they are sent to the workers, which may be on other machines."""

    improve: ImproveOptions
    """Options of each problem; its own cases take the place of those named here."""
    with_target: bool = False
    """Judge the human's program too, if the set has one."""
    max_cost: float | None = None
    """Limit of the whole batch, US dollars."""
    deadline: float | None = None
    """Time after which no round is begun, seconds since the epoch."""
    max_requests: int | None = None
    """Requests at a time at the model's server, over all workers and batches of a machine; None: no limit."""
    interpreter: Interpreter | None = None
    """Interpreter of all programs; None: each node of a cluster, or an image, has its own."""


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

    def __add__(self, other: TimeSpent) -> TimeSpent:
        return TimeSpent(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class ProblemResult:
    """End of a problem, or its pause."""

    status: Status
    reason: str
    stopped: str = ""
    fault: Fault = ""
    best: Candidate | None = None
    """The accepted draft with its confirmed figures; None: nothing was accepted."""


@dataclass(frozen=True)
class ProblemStatus:
    """State of a problem so far, and its figures."""

    status: Status = "pending"
    fault: Fault = ""
    reason: str = ""
    """One line for people."""
    stopped: str = ""
    """Why no further round was run."""
    attempts: int = 0
    """Number of times that a worker took the problem up."""
    accepted: bool = False
    """A draft is right and faster, and was confirmed: that of `best_round`."""
    best_round: int | None = None
    ratio: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    """Upper end of the interval; None: not known."""
    time_spent: TimeSpent = TimeSpent()
    """Time of all attempts together."""
    finished: str = ""
    """UTC."""


@dataclass(frozen=True)
class RegisteredProblem:
    """A problem and its place in the set, from 0."""

    position: int
    problem: Problem


@dataclass(frozen=True)
class Exchange:
    """A request to the model and its reply."""

    prompt: tuple[Mapping[str, str], ...]
    """Role and content of each message."""
    reply: Reply


@dataclass(frozen=True)
class Replies:
    exchanges: tuple[Exchange, ...] = ()

    @property
    def usage(self) -> Usage:
        """Their sum."""
        return sum((exchange.reply.usage for exchange in self.exchanges), NOTHING_USED)


@dataclass(frozen=True)
class BatchFacts:
    """Facts about a whole batch."""

    schema: str = SCHEMA
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Flags that a later command has to name the same."""
    machine: Mapping[str, Any] = field(default_factory=dict)
    python: Mapping[str, Any] | None = None
    """The programs' interpreter, as Interpreter.to_json gives it; None where it is not known, or not one."""
    created: str = ""
    """UTC."""
    cores: int = 1
    """Number of cores that measure."""
    backend: str = ""
    """The sandbox, in words."""
    seconds: float = 0.0
    """Wall time of all sessions."""
    process: int = 0
    """The process that is or was at work last."""
