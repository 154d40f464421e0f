"""Proposers for one function of a module. Of their text only the function and its newly needed names are taken."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from codeopt.analysis import AnalyzedProgram, ShownTypes, parse
from codeopt.analysis.nodes import Def, first_line, is_bare_constant
from codeopt.core.history import Draft, Excerpted, History
from codeopt.core.revision import Revision
from codeopt.core.sanitize import inline
from codeopt.rules import Hot, Rule
from codeopt.workloads.source.excerpt import shown
from codeopt.workloads.source.functions import SpliceError, at_margin, definitions
from codeopt.workloads.source.splice import splice

UNNAMED = Def | ast.Import | ast.ImportFrom | ast.Pass | ast.If
"""Statements of an answer that need no mention: what is used of them is taken, an `if` runs the answer as a script."""
BY_CALLS = ":calls"
"""End of the name of a rule that goes by the types that known calls show."""


def function_rules(rules: Iterable[Rule], qualname: str, shown: tuple[tuple[str, str], ...] = ()) -> tuple[Rule, ...]:
    """The rules that are not for whole programs, each restricted to one function.

    shown: the types that known calls show of parameters without a hint. A rule that needs them to be sure is there
    once more, by its name and `:calls`: test cases decide on what it makes.
    """
    own = tuple(rule for rule in rules if not rule.scripts_only)
    if not shown:
        return within(own, qualname)
    types = ShownTypes(qualname, shown)
    by_calls = [
        FunctionRule(
            **{**vars(rule), "name": f"{rule.name}{BY_CALLS}", "safety": "unsafe"}, qualname=qualname, shown=types
        )
        for rule in own
        if rule.safety == "safe"
    ]
    guessing = [FunctionRule(**vars(rule), qualname=qualname, shown=types) for rule in own if rule.safety == "unsafe"]
    sure = within((rule for rule in own if rule.safety == "safe"), qualname)
    order = [rule.name for rule in own]
    return tuple(sorted([*sure, *guessing, *by_calls], key=lambda each: order.index(each.name.removesuffix(BY_CALLS))))


@dataclass(frozen=True)
class FunctionRule(Rule):
    """A rule cut back to one function of a module that others import: what it would change elsewhere stays as it is."""

    qualname: str = ""
    shown: ShownTypes | None = None
    """Types of its parameters that known calls show, where the rule goes by them."""

    def parsed(self, text: str, *, exported: bool) -> AnalyzedProgram | None:
        """The module, with the types that calls show."""
        return parse(text, exported=exported, shown=self.shown)

    def rewrite(self, text: str, hot: Hot | None = None, *, exported: bool = True) -> str | None:
        """The module with the function rewritten; None when the rule does not match there."""
        lines = _own_lines(text, self.qualname, hot or Hot())
        new = super().rewrite(text, lines, exported=exported) if lines.lines else None
        if new is None:
            return None
        try:
            kept = splice(text, self.qualname, new)
        except SpliceError:
            return None
        return kept if kept != text else None

    def reading(self, text: str, hot: Hot) -> tuple[AnalyzedProgram | None, Hot]:
        """The module as one that others import, and the hot lines of the function."""
        return self.parsed(text, exported=True), _own_lines(text, self.qualname, hot)


def within(rules: Iterable[Rule], qualname: str) -> tuple[Rule, ...]:
    """The rules, each cut back to one function."""
    return tuple(FunctionRule(**vars(rule), qualname=qualname) for rule in rules)


def _own_lines(source: str, qualname: str, hot: Hot) -> Hot:
    """The hot lines of the function; all of its lines where nothing was measured."""
    own = _spans(source).get(qualname, range(0))
    return Hot(tuple(line for line in hot.lines or own if line in own))


@lru_cache(maxsize=16)
def _spans(source: str) -> Mapping[str, range]:
    """Lines of each function; of several of one name those of the first. Each of some sixty rules asks for them."""
    found: dict[str, range] = {}
    for name, node in definitions(ast.parse(source)):
        found.setdefault(name, range(first_line(node), (node.end_lineno or 0) + 1))
    return found


@dataclass(frozen=True)
class FunctionProposer(Excerpted):
    """A proposer that sees an excerpt of the module, and whose drafts are put back into it."""

    qualname: str

    def whole(self, draft: Draft, original: Revision) -> Draft:
        if draft.problem:
            return draft
        try:
            whole = splice(original.text, self.qualname, draft.source)
            left_out = statements_left_out(original.text, draft.source, whole)
            notes = tuple(f"not taken from the answer: {line}" for line in left_out)
            return replace(draft, revision=Revision.of(whole), notes=notes)
        except SpliceError as error:
            return replace(draft, problem=f"it cannot be put into the module: {error}")

    def excerpts(self, history: History) -> History:
        """The function, and what it needs of its module."""
        return shown(history, self.qualname)


def statements_left_out(original: str, answer: str, whole: str) -> Iterator[str]:
    """Yield what an answer binds or does in a module or class, and neither the original nor the draft has."""
    known = {ast.dump(node) for text in (original, whole) for node in _statements(ast.parse(text).body)}
    for node in _statements(ast.parse(at_margin(answer)).body):
        if ast.dump(node) not in known:
            # characters of a statement that is named
            yield inline(ast.unparse(node), 100)


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module and of its classes that are worth a mention."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _statements(node.body)
        elif not isinstance(node, UNNAMED) and not is_bare_constant(node):
            yield node
