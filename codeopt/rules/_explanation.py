"""Places where a rule would change a program, and the reasons why it does not elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from os.path import commonprefix

from codeopt.analysis import AnalyzedProgram, Edit, RefusalReason
from codeopt.core.history import Refusal
from codeopt.core.revision import Revision
from codeopt.rules._rule import Context, Hot, HotFiles, Rule


@dataclass
class Explanation:
    """The findings of one rule in one program."""

    rule: str
    lines: set[int] = field(default_factory=set)
    """Lines where the rule matches."""
    refused: dict[RefusalReason, set[int]] = field(default_factory=dict)
    """Lines with the rule's pattern where an answer of the analysis kept it from matching, by that answer."""


UNTOUCHABLE = "it looks at its own names or code, or is nested too deeply, so that no rule may touch it"


def refusals(rules: Iterable[Rule], revision: Revision, hot: HotFiles) -> tuple[Refusal, ...]:
    """The reasons why rules changed nothing, by the number of lines. None if no rule has its pattern there."""
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for path, text in revision.items():
        if path and not hot.at(path).lines:
            continue  # of a project, the files that take the time
        for rule in rules:
            program, lines = rule.reading(text, hot.at(path))
            if program is None:
                found.setdefault(UNTOUCHABLE, ({}, {}))[0].update({path: None} if path else {})
                break
            if rule.name.partition(":")[0] == "ruff":
                continue  # does not say why not
            for reason, refused in explain(rule, program, lines).refused.items():
                here = [line for line in sorted(refused) if lines.touches(line, line)]
                places = [f"{path}:{line}" if path else str(line) for line in here]
                if places:
                    known = found.setdefault(reason.value, ({}, {}))
                    known[0].update(dict.fromkeys(places))
                    known[1][rule.name] = None
    ranked = sorted(found.items(), key=lambda item: -len(item[1][0]))
    return tuple(Refusal(reason, tuple(lines), tuple(names)) for reason, (lines, names) in ranked)


def explain(rule: Rule, program: AnalyzedProgram, hot: Hot) -> Explanation:
    """Ask a rule about each node of a program, without rewriting."""
    context = Context(program, hot)
    explanation = Explanation(rule.name)
    program.refusals.taken()
    for node in rule.wanted_nodes(context):
        program.refusals.taken()  # of other nodes, in finding this one
        edits = list(rule.visit(node, context))
        context.edits += edits
        explanation.lines.update(_line(program, edit) for edit in edits)
        refusals = program.refusals.taken()
        if not edits or isinstance(node, ast.Module):
            _add(explanation, refusals)
    if context.rewritten() is None:
        explanation.lines.clear()
    _add(explanation, program.refusals.taken())
    return explanation


def _line(program: AnalyzedProgram, edit: Edit) -> int:
    """The first line that an edit changes."""
    same = len(commonprefix([program.text[edit.start : edit.end], edit.text]))
    return program.text.count("\n", 0, edit.start + same) + 1


def _add(explanation: Explanation, refusals: dict[RefusalReason, set[int]]) -> None:
    for reason, lines in refusals.items():
        if lines - explanation.lines:
            explanation.refused.setdefault(reason, set()).update(lines - explanation.lines)
