"""The interface of a writer of drafts, for workloads and the loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from codeopt.core.history import Candidate, Critique, Draft, History


class Proposer(Protocol):
    """Writes critiques and drafts; never runs anything."""

    @property
    def name(self) -> str:
        """Display name: `rules`, or a model's name."""
        ...

    def critique(self, history: History) -> Critique:
        """The critique of the newest candidate, made with all of them in view."""
        ...

    def refine(self, history: History) -> Draft:
        """The next draft, made from the newest candidate and its critique."""
        ...

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """Several drafts of the same critique, each as soon as it is there; fewer where no more can be had."""
        ...

    def preferred(self, history: History) -> Candidate | None:
        """The candidate that it would keep, whatever the others' figures; None leaves it to the task's score."""
        ...


def variants(proposer: Proposer, history: History, count: int) -> Iterator[Draft]:
    """The drafts of a round; a single one is asked for by `refine`."""
    if count == 1:
        yield proposer.refine(history)
    else:
        yield from proposer.variants(history, count)
