"""Rules and a language model together: the rules write the first draft, and the model continues with its results."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.core.history import Candidate, Critique, Draft, History
from codeopt.core.proposer import Proposer
from codeopt.proposers.rules import Rules


class RulesFirst:
    """The rules' program is round 1, with all that match; it costs no tokens, and no round of the budget."""

    def __init__(self, rules: Rules, model: Proposer) -> None:
        self.name = model.name
        self.rules, self.model = rules, model

    def critique(self, history: History) -> Critique:
        """The critique of the original by the rules, where they match it; else the model's."""
        return self.rules.critique(history) if self._together(history) else self.model.critique(history)

    def refine(self, history: History) -> Draft:
        """The rules' program first, then the model's."""
        return self._together(history) or self.model.refine(history)

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """The rules' one program first, then several of the model's."""
        together = self._together(history)
        return iter([together]) if together else self.model.variants(history, count)

    def preferred(self, history: History) -> Candidate | None:
        """The model's preference."""
        return self.model.preferred(history)

    def _together(self, history: History) -> Draft | None:
        return self.rules.together(history.original) if len(history.candidates) == 1 else None
