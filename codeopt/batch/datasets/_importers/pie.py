"""PIE: JSONL with problem_id, input and target; cases in folders named as the problem."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.batch.datasets._importers import ImportRequest, ProgramPair, cases_in, json_lines
from codeopt.batch.datasets.pie import SOURCES, TARGETS

FOLDERS = ("", "cases", "test_cases", "public_test_cases", "merged_test_cases", "codenet/public_test_cases")


def read(request: ImportRequest) -> Iterator[ProgramPair]:
    """Read one pair a line. Raises UsageError."""
    home = request.path if request.path.is_dir() else request.path.parent
    homes = [request.cases] if request.cases else [home / name for name in FOLDERS]
    for number, row in enumerate(json_lines(request.path), 1):
        id = str(row.get("problem_id") or f"line-{number}")
        source = next((str(row[name]) for name in SOURCES if row.get(name)), "")
        target = next((str(row[name]) for name in TARGETS if row.get(name)), None)
        yield ProgramPair(
            id, source, target, cases_in([each / id for each in homes]), str(row.get("language") or "Python")
        )
