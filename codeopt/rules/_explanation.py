"""Places where a rule would change a program, and the reasons why it does not elsewhere."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from os.path import commonprefix

from codeopt.analysis import AnalyzedProgram, Doubt, Edit
from codeopt.rules._context import Context
from codeopt.rules._hot_spots import Hot
from codeopt.rules._rule import Rule


@dataclass(frozen=True)
class Explanation:
    """The findings of one rule in one program."""

    rule: str
    lines: set[int] = field(default_factory=set)
    """Lines where the rule matches."""
    refused: dict[Doubt, set[int]] = field(default_factory=dict)
    """Lines with the rule's pattern where an answer of the analysis kept it from matching, by that answer."""


def explain(rule: Rule, program: AnalyzedProgram, hot: Hot) -> Explanation:
    """Ask a rule about each node of a program, without rewriting."""
    context = Context(program, hot)
    found = Explanation(rule.name)
    program.doubts.taken()
    for node in rule.wanted_nodes(context):
        program.doubts.taken()  # of other nodes, in finding this one
        edits = list(rule.visit(node, context))
        context.edits += edits
        found.lines.update(_line(program, edit) for edit in edits)
        doubts = program.doubts.taken()
        if not edits or isinstance(node, ast.Module):
            _add(found, doubts)
    if context.rewritten() is None:
        found.lines.clear()
    _add(found, program.doubts.taken())
    return found


def _line(program: AnalyzedProgram, edit: Edit) -> int:
    """The first line that an edit changes."""
    same = len(commonprefix([program.text[edit.start : edit.end], edit.text]))
    return program.text.count("\n", 0, edit.start + same) + 1


def _add(found: Explanation, doubts: dict[Doubt, set[int]]) -> None:
    for doubt, lines in doubts.items():
        if lines - found.lines:
            found.refused.setdefault(doubt, set()).update(lines - found.lines)
