"""Several language models on one program: a round each in turn; several drafts of one critique are shared out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeopt.core.history import Candidate, Critique, Draft, History, Proposer


class TakeTurns:
    """Proposers in turn. The number of rounds so far decides the turn, so that a resumed run continues correctly."""

    def __init__(self, proposers: Sequence[Proposer]) -> None:
        self.name = ",".join(proposer.name for proposer in proposers)
        self._proposers = tuple(proposers)

    def critique(self, history: History) -> Critique:
        """The critique of the proposer whose turn it is."""
        return self._from(history)[0].critique(history)

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """Drafts of all proposers, as evenly as the number allows; the one whose turn it is writes the first."""
        order = self._from(history)
        shares = [len(range(at, count, len(order))) for at in range(len(order))]
        for proposer, share in zip(order, shares, strict=True):
            if share:
                yield from proposer.variants(history, share)

    def preferred(self, history: History) -> Candidate | None:
        """Return None: there is no preference, the figures decide."""
        return None

    def _from(self, history: History) -> tuple[Proposer, ...]:
        at = history.turn % len(self._proposers)
        return self._proposers[at:] + self._proposers[:at]
