"""What flows through the program are values: a class of data is frozen, unless a method of its own changes it."""
# looks at codeopt, sandbox

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHANGED_BY_OTHERS = """
Bounds Bytecode CheckerAnswers CommandProbes CommandRuns Compared Container DifferentialTest EditGains
EffectAnalysis Evidence EvidenceCache Explanation Guesser Guest KnownFindings Liveness LocalBatch Loops Nesting
PublicCalls Record RefusalReasons RemoteWorker Scopes Series SeveralRun SourcePage TimedRuns
TraceCache WorkerProcess _Functions _Larger _Request
"""
"""Data classes whose objects others change."""


def test_a_class_of_data_is_frozen() -> None:
    found = set()
    for top in ("codeopt", "sandbox"):
        for path in (ROOT / top).rglob("*.py"):
            text = path.read_text("utf-8")
            for node in ast.walk(ast.parse(text)) if re.search("@dataclass(?!.*frozen=True)", text) else ():
                if isinstance(node, ast.ClassDef):
                    marks = [ast.unparse(each) for each in node.decorator_list]
                    thawed = any(each.startswith("dataclass") and "frozen=True" not in each for each in marks)
                    found |= {node.name} if thawed and not changes_itself(node) else set()
    assert found - {*CHANGED_BY_OTHERS.split()} == set()


def changes_itself(node: ast.ClassDef) -> bool:
    """Whether a method sets an attribute of its object."""
    return any(
        isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and ast.unparse(each.value) == "self"
        for each in ast.walk(node)
    )
