"""Proposers for one function of a module: whatever they write, only the function and what it newly needs is taken."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from codeopt.history import Candidate, Critique, Draft, History
from codeopt.proposers import Proposer
from codeopt.rules import Hot, Rule
from codeopt.workloads.function.definitions import PutBackError
from codeopt.workloads.function.excerpt import shown
from codeopt.workloads.function.function_def import definition, first_line
from codeopt.workloads.function.putback import put_back

NOTE = """

The program is one function of a larger module. It is not run on standard input: the judge calls it with the arguments
of calls that were seen and of others like them, and compares what is returned (value and type), raised, yielded and
printed, and what became of the arguments. Nothing may be remembered between calls."""
"""Goes below a task's system prompt."""


def function_rules(rules: Iterable[Rule], qualname: str) -> tuple[Rule, ...]:
    """Those of the rules that are not for whole programs, each cut back to one function."""
    return within((rule for rule in rules if not rule.scripts_only), qualname)


def within(rules: Iterable[Rule], qualname: str) -> tuple[Rule, ...]:
    """The rules, each cut back to one function: what it would change elsewhere stays as it is."""
    return tuple(_cut_back(rule, qualname) for rule in rules)


def given_away(source: str) -> str:
    """A line that hands all names of a module to code that nobody knows, as importing it does.

    Without it the rules would take the calls in the module for all the calls that there are.
    """
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Name(name, ast.Store()):
                names.append(name)
    return f"\nimported_by_others({', '.join(dict.fromkeys(names))})\n"


def _cut_back(rule: Rule, qualname: str) -> Rule:
    def rewrite(source: str, hot: Hot) -> str | None:
        lines = _own_lines(source, qualname, hot)
        new = rule.rewrite(source + given_away(source), lines) if lines.lines else None
        if new is None:
            return None
        try:
            kept = put_back(source, qualname, new)
        except PutBackError:
            return None
        return kept if kept != source else None

    return replace(rule, rewrite=rewrite)


def _own_lines(source: str, qualname: str, hot: Hot) -> Hot:
    """The hot lines of the function; all of its lines where nothing was measured."""
    node = definition(ast.parse(source), qualname)
    if node is None:
        return Hot()
    own = range(first_line(node), (node.end_lineno or 0) + 1)
    return Hot(tuple(line for line in hot.lines or own if line in own))


class FunctionProposer:
    """A proposer that sees an excerpt of the module, and whose drafts are put back into it."""

    def __init__(self, inner: Proposer, module: str, qualname: str, seen: tuple[str, ...]) -> None:
        self.inner, self.module, self.qualname, self.seen = inner, module, qualname, seen
        self.name = inner.name

    def critique(self, history: History) -> Critique:
        """As the inner proposer, on the excerpt."""
        return self.inner.critique(self._shown(history))

    def refine(self, history: History) -> Draft:
        """The inner proposer's draft as a whole module; with a problem where it cannot be put back."""
        draft = self.inner.refine(self._shown(history))
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
        return shown(history, self.qualname, self.module, self.seen)
