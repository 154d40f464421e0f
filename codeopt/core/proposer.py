"""Who writes drafts, as a workload and the loop know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from codeopt.core.history import Candidate, Critique, Draft, History


class Proposer(Protocol):
    """Writes critiques and drafts; never runs anything."""

    @property
    def name(self) -> str:
        """As people know it: `rules`, a model's name."""
        ...

    def critique(self, history: History) -> Critique:
        """What to improve in the newest candidate, seeing all of them."""
        ...

    def refine(self, history: History) -> Draft:
        """The next draft; the newest candidate carries its critique."""
        ...

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """Several drafts of the same critique, each as soon as it is there; fewer where no more can be had."""
        ...

    def preferred(self, history: History) -> Candidate | None:
        """The candidate that it would keep, whatever the others' figures; None leaves it to the task's score."""
        ...


def variants(proposer: Proposer, history: History, count: int) -> Iterator[Draft]:
    """The drafts of a round; one is asked for as it always was."""
    if count == 1:
        yield proposer.refine(history)
    else:
        yield from proposer.variants(history, count)
