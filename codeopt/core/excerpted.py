"""A proposer that sees less than what is judged: each program as an excerpt, each draft put back into the whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

from codeopt.core.history import Candidate, Critique, Draft, History
from codeopt.core.proposer import Proposer
from codeopt.core.revision import Revision


@dataclass(frozen=True)
class Excerpted(ABC):
    """Proposer that shows an inner proposer excerpts. The inner proposer does not know that they are excerpts."""

    inner: Proposer

    @abstractmethod
    def excerpts(self, history: History) -> History:
        """The history as the inner proposer sees it: the same rounds."""

    @abstractmethod
    def whole(self, draft: Draft, original: Revision) -> Draft:
        """Return the inner proposer's draft as a whole revision. It has a problem if it does not fit.
        original: that of round 0, or of the round that the draft mends.
        """

    @property
    def name(self) -> str:
        return self.inner.name

    def critique(self, history: History) -> Critique:
        found = self.inner.critique(self.excerpts(history))
        base = history.last if found.repairs else history.original
        return replace(found, draft=self.whole(found.draft, base.revision)) if found.draft else found

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        for draft in self.inner.variants(self.excerpts(history), count):
            yield self.whole(draft, history.original.revision)

    def preferred(self, history: History) -> Candidate | None:
        """The inner proposer's choice, as the same round of the whole."""
        chosen = self.inner.preferred(self.excerpts(history))
        return history.candidates[chosen.round] if chosen else None
