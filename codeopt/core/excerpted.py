"""A proposer that sees less than what is judged: each program as an excerpt, each draft put back into the whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from codeopt.core.history import Candidate, Critique, Draft, History
from codeopt.core.proposer import Proposer
from codeopt.core.revision import Revision


@dataclass(frozen=True)
class Excerpted(ABC):
    """Around another proposer, which is none the wiser."""

    inner: Proposer

    @abstractmethod
    def excerpts(self, history: History) -> History:
        """The history as the inner proposer sees it: the same rounds."""

    @abstractmethod
    def whole(self, draft: Draft, original: Revision) -> Draft:
        """The inner proposer's draft as a whole revision; with a problem where it cannot be put back. original: that of
        round 0."""

    @property
    def name(self) -> str:
        """Name of the inner proposer."""
        return self.inner.name

    def critique(self, history: History) -> Critique:
        """The inner proposer's critique, made on the excerpts."""
        return self.inner.critique(self.excerpts(history))

    def refine(self, history: History) -> Draft:
        """The inner proposer's next draft, whole."""
        return self.whole(self.inner.refine(self.excerpts(history)), history.original.revision)

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """The inner proposer's drafts, each whole."""
        for draft in self.inner.variants(self.excerpts(history), count):
            yield self.whole(draft, history.original.revision)

    def preferred(self, history: History) -> Candidate | None:
        """The inner proposer's choice, as the same round of the whole."""
        chosen = self.inner.preferred(self.excerpts(history))
        return history.candidates[chosen.round] if chosen else None
