"""Problem sets: what a batch runs over. One layout a file, each with `recognises(request)` and `read(request)`.

    for problem in read_set(SetRequest(Path("problems"))):
        ...

A new layout is a new file in this folder (or an entry point in the group `codeopt.datasets`) and no edit anywhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.core import plugins
from codeopt.core.errors import ProgramError, UsageError, names_near
from codeopt.core.program import read_program
from codeopt_sandbox.plain_files import read_text

GROUP = "codeopt.datasets"


@dataclass(frozen=True)
class SetRequest:
    """Request to a layout for the problems of a set."""

    path: Path
    """Folder or file of the set."""
    cases: Path | None = None
    """Folder that holds one folder of cases a problem; None: the layout's own place."""


@dataclass(frozen=True)
class Problem:
    """One program of a set, with what it is judged by."""

    id: str
    """Name, unique within the set."""
    source: str
    """Text of the program to improve; for a function, of its whole file."""
    path: Path
    """Path of the program; for one that is in a larger file, a path next to it, which need not exist."""
    cases: Path | None = None
    """Folder of its cases; None: next to `path`."""
    function: str = ""
    """Qualified name of the function to improve; empty: a program that reads standard input."""
    calls: Path | None = None
    """File with the function's calls; None: its tests and hints give them."""
    check: str = ""
    """Checker of its answers, FILE::accept; empty: the batch's own."""
    target: str | None = None
    """Text of a faster program that a person wrote; None: the set has no such text."""
    skipped: str = ""
    """Reason why the problem cannot be tried, in one line; empty: it can."""


def read_set(request: SetRequest, layout: str = "") -> Iterator[Problem]:
    """Read the problems of a set, one at a time, in its order; ids that come again get `#2`, `#3`.

    layout: a file of this folder or a dotted path; empty: the first that recognises the set. Raises UsageError.
    """
    if not request.path.exists():
        raise UsageError(f"there is no problem set {request.path}", hint=names_near(request.path))
    if request.cases and not request.cases.is_dir():
        raise UsageError(f"--cases {request.cases} is not a directory")
    name = layout or next((n for n in plugins.names(GROUP) if plugins.load(GROUP, n).recognises(request)), "")
    if not name:
        raise UsageError(
            f"{request.path} is no problem set",
            hint="give a folder with PROBLEM/slow.py or .py files, a .jsonl file with problem_id and input, "
            "or a .txt file with one path::function a line",
        )
    return _unique(plugins.load(GROUP, name).read(request))


def program_at(
    id: str, path: Path, cases: Path | None = None, *, function: str = "", target: Path | None = None,
    calls: Path | None = None, check: str = "",
) -> Problem:  # fmt: skip
    """Make a problem of a program's own file; a file that is no Python is a skipped problem."""
    faster = file_text(target) if target and target.is_file() else None
    try:
        return Problem(id, read_program(path).source, path, cases, function, calls, check, faster)
    except (UsageError, ProgramError) as error:
        return Problem(id, "", path, cases, function, calls, check, faster, skipped=error.words)


def file_text(path: Path) -> str:
    """Read a file of the set. Raises UsageError."""
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error


def _unique(problems: Iterator[Problem]) -> Iterator[Problem]:
    seen: Counter[str] = Counter()
    for problem in problems:
        seen[problem.id] += 1
        count = seen[problem.id]
        yield problem if count == 1 else replace(problem, id=f"{problem.id}#{count}")
