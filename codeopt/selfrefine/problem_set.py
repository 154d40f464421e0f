"""Inputs of a task of texts, one JSON object a line: `id`, the input, and a `key` where there is one right answer.

The input has one of several names: CommonGen's `concepts` may be a list, GSM8K's `question` and `answer` are read as
they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codeopt.batch.datasets import Problem, SetRequest
from codeopt.core.errors import UsageError
from codeopt_sandbox.plain_files import read_text

INPUTS = ("text", "input", "question", "concepts", "title", "review", "dialogue")
KEYS = ("key", "answer")


def recognises(request: SetRequest) -> bool:
    """Return False: only the task decides, as a line may look like a program's of another layout."""
    return False


def read(request: SetRequest) -> Iterator[Problem]:
    """Yield one problem a line. An invalid line is a skipped problem. Raises UsageError."""
    try:
        lines = read_text(request.path, "replace").splitlines()
    except OSError as error:
        raise UsageError(f"cannot read {request.path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _problem(request.path, number, line)


def _problem(path: Path, number: int, line: str) -> Problem:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        return Problem(f"line-{number}", "", path, skipped=f"line {number} is no JSON object")
    id = str(row.get("id", row.get("problem_id", f"line-{number}")))
    text = _first(row, INPUTS)
    skipped = "" if text.strip() else f"it has no input: none of the fields {', '.join(INPUTS)} holds one"
    return Problem(id, text, path, target=_first(row, KEYS) or None, skipped=skipped)


def _first(row: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return ", ".join(value)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
    return ""
