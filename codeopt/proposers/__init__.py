"""Who writes drafts: a language model, or the built-in rules. One proposer a file."""

from __future__ import annotations

from typing import Protocol

from codeopt.history import Candidate, Critique, Draft, History


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

    def preferred(self, history: History) -> Candidate | None:
        """The candidate that it would keep, whatever the others' figures; None leaves it to the task's score."""
        ...
