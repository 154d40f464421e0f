"""What a batch is asked for: how each of its problems is improved, and what the whole may take."""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.core.interpreter import Interpreter
from codeopt.core.options import ImproveOptions


@dataclass(frozen=True)
class BatchOptions:
    """Goes to the workers, which may be on other machines."""

    improve: ImproveOptions
    """Options of each problem, with the proposer named; its own cases take the place of those named here."""
    with_target: bool = False
    """Judge the human's program too, where the set has one."""
    max_cost: float | None = None
    """USD that the whole batch may spend."""
    deadline: float | None = None
    """Seconds since the epoch after which no round is begun."""
    max_requests: int | None = None
    """At a time at the model's server, over all workers and batches of a machine; None: as many as there are."""
    interpreter: Interpreter | None = None
    """What runs all programs; None where each node of a cluster, or an image, has its own."""
