"""What flows through the program are values: no class of data changes but those that are named here."""
# looks at every file

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHANGE = """
Account BestOfK Bounds Bytecode CheckerAnswers CommandProbes CommandRuns Compared Container CoreLock
DifferentialTest EditGains EditorSession EffectAnalysis Effects Evidence Explanation FindingKeys Guesser Guest
Improver KnownFindings Liveness LocalBatch Loops Narrowing Nesting PaidReplies ProbeGenerator ProblemJob
ProjectSuite ProjectWorkload PublicCalls RayBatch Record RefineLoop RefusalReasons RemoteWorker ReviewRun
RunClock Scheduler Scopes Series SeveralRun SourcePage SuiteCache Surfaces ThrottledProgress TimedRuns
TraceCache Worker WorkerPool WorkerProcess _Copies _EarlyCheck _Functions _Larger _Request _Spent _Writer
"""
"""Data classes whose objects change."""


def test_a_class_of_data_is_frozen() -> None:
    found = set()
    for top in ("codeopt", "sandbox"):
        for path in (ROOT / top).rglob("*.py"):
            text = path.read_text("utf-8")
            for node in ast.walk(ast.parse(text)) if "dataclass" in text else ():
                if isinstance(node, ast.ClassDef):
                    marks = [ast.unparse(each) for each in node.decorator_list]
                    changes = any(each.startswith("dataclass") and "frozen=True" not in each for each in marks)
                    found |= {node.name} if changes else set()
    assert found - {*CHANGE.split()} == set()
