"""Proposers for one function of a module: whatever they write, only the function and what it newly needs is taken."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from codeopt.history import Candidate, Critique, Draft, History
from codeopt.proposers import Proposer
from codeopt.rules import Hot, Rule
from codeopt.workloads.function.definitions import PutBackError
from codeopt.workloads.function.excerpt import shown
from codeopt.workloads.function.function_def import definition, first_line
from codeopt.workloads.function.putback import put_back


def function_rules(rules: Iterable[Rule], qualname: str) -> tuple[Rule, ...]:
    """Those of the rules that are not for whole programs, each cut back to one function."""
    return within((rule for rule in rules if not rule.scripts_only), qualname)


@dataclass(frozen=True)
class FunctionRule(Rule):
    """A rule cut back to one function of a module that others import: what it would change elsewhere stays as it is."""

    qualname: str = ""

    def rewrite(self, text: str, hot: Hot | None = None, *, exported: bool = True) -> str | None:
        """The module with the function rewritten; None when the rule does not match there."""
        lines = _own_lines(text, self.qualname, hot or Hot())
        new = super().rewrite(text, lines, exported=exported) if lines.lines else None
        if new is None:
            return None
        try:
            kept = put_back(text, self.qualname, new)
        except PutBackError:
            return None
        return kept if kept != text else None


def within(rules: Iterable[Rule], qualname: str) -> tuple[Rule, ...]:
    """The rules, each cut back to one function."""
    return tuple(FunctionRule(**vars(rule), qualname=qualname) for rule in rules)


def _own_lines(source: str, qualname: str, hot: Hot) -> Hot:
    """The hot lines of the function; all of its lines where nothing was measured."""
    node = definition(ast.parse(source), qualname)
    if node is None:
        return Hot()
    own = range(first_line(node), (node.end_lineno or 0) + 1)
    return Hot(tuple(line for line in hot.lines or own if line in own))


class FunctionProposer:
    """A proposer that sees an excerpt of the module, and whose drafts are put back into it."""

    def __init__(self, inner: Proposer, qualname: str) -> None:
        self.inner, self.qualname = inner, qualname
        self.name = inner.name

    def critique(self, history: History) -> Critique:
        """As the inner proposer, on the excerpt."""
        return self.inner.critique(self._shown(history))

    def refine(self, history: History) -> Draft:
        """The inner proposer's draft as a whole module; with a problem where it cannot be put back."""
        return self._whole(self.inner.refine(self._shown(history)), history)

    def variants(self, history: History, count: int) -> Iterator[Draft]:
        """The inner proposer's drafts, each as a whole module."""
        for draft in self.inner.variants(self._shown(history), count):
            yield self._whole(draft, history)

    def _whole(self, draft: Draft, history: History) -> Draft:
        if draft.problem:
            return draft
        try:
            return replace(draft, source=put_back(history.original.source, self.qualname, draft.source))
        except PutBackError as error:
            return replace(draft, problem=f"it cannot be put into the module: {error}")

    def preferred(self, history: History) -> Candidate | None:
        """As the inner proposer; it is the same round of the module."""
        chosen = self.inner.preferred(self._shown(history))
        return history.candidates[chosen.round] if chosen else None

    def _shown(self, history: History) -> History:
        return shown(history, self.qualname)
