"""The interface of a writer of drafts, for workloads and the loop, and the reasons why one wrote none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from codeopt.core.history import Candidate, Critique, Draft, History


@dataclass(frozen=True)
class Refusal:
    """One reason why rules left hot lines as they are."""

    reason: str
    lines: tuple[str, ...] = ()
    """`12`; of a project `shop/store.py:12`."""
    rules: tuple[str, ...] = ()
    """Names of the rules that found their pattern there."""


class Proposer(Protocol):
    """Writer of critiques and drafts. It never runs code."""

    @property
    def name(self) -> str:
        """Display name: `rules`, or a model's name."""
        ...

    def critique(self, history: History) -> Critique:
        """The critique of the newest candidate, made with all of them in view."""
        ...

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """Drafts made from the newest candidate and its critique, each as soon as it is there; fewer where no more can
        be had."""
        ...

    def preferred(self, history: History) -> Candidate | None:
        """Return the candidate that it would keep regardless of the others' figures. None: the task's score decides."""
        ...
