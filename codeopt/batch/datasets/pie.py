"""PIE's JSONL: a line has problem_id, input (the slow program) and target; its cases are PROBLEM/input.N.txt."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codeopt.batch.datasets import Problem, SetRequest
from codeopt.core.errors import UsageError

SOURCES = ("input", "src_code", "slow", "code_v0_no_empty_lines", "code_v0")
"""Names of the slow program's field: the paper's first, then those of other releases."""
TARGETS = ("target", "tgt_code", "fast", "code_v1_no_empty_lines", "code_v1")
"""Names of the fast program's field, in the same order."""


def recognises(request: SetRequest) -> bool:
    """Whether the set is a .jsonl file."""
    return request.path.is_file() and request.path.suffix in {".jsonl", ".ndjson"}


def read(request: SetRequest) -> Iterator[Problem]:
    """Read one problem a line; a line that holds none is a skipped problem. Raises UsageError."""
    try:
        with request.path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _problem(request, number, line)
    except OSError as error:
        raise UsageError(f"cannot read {request.path}: {error.strerror}") from error


def _problem(request: SetRequest, number: int, line: str) -> Problem:
    row = _row(line)
    id = str(row.get("problem_id") or f"line-{number}")
    path = request.path.parent / f"{Path(id).name}.py"
    if not row:
        return Problem(id, "", path, skipped=f"line {number} is no JSON object")
    source, target = _first(row, SOURCES), _first(row, TARGETS)
    home = request.cases or request.path.parent
    cases = home / Path(id).name
    return Problem(id, source or "", path, cases, target=target, skipped=_why_not(source, cases))


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _first(row: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((row[name] for name in names if isinstance(row.get(name), str)), None)


def _why_not(source: str | None, cases: Path) -> str:
    """Reason why the problem cannot be tried; empty: it can."""
    if not source or not source.strip():
        return f"it has no program: none of the fields {', '.join(SOURCES)} holds one"
    if reason := not_python(source):
        return reason
    return "" if cases.is_dir() else f"it has no cases: there is no folder {cases}"


def not_python(source: str) -> str:
    """Reason why Python 3 cannot read a program; empty: it can."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"it is not Python 3: {getattr(error, 'msg', None) or error}"
    return ""
