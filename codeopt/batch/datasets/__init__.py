"""Problem sets: what a batch runs over.

    for problem in read_set(SetRequest(Path("problems"))):
        ...

A layout has `recognises(request)` and `read(request)`: one of `LAYOUTS`, or the module of an entry point in the group
`codeopt.datasets`.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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

    layout: a name or a dotted path; empty: the first that recognises the set. Raises UsageError.
    """
    if not request.path.exists():
        raise UsageError(f"there is no problem set {request.path}", hint=names_near(request.path))
    if request.cases and not request.cases.is_dir():
        raise UsageError(f"--cases {request.cases} is not a directory")
    if layout:
        return _unique(_layout(layout).read(request))
    found = next((each for each in map(_layout, _names()) if each.recognises(request)), None)
    if found is None:
        raise UsageError(
            f"{request.path} is no problem set",
            hint="give a folder with PROBLEM/slow.py or .py files, a .jsonl file with problem_id and input, "
            "or a .txt file with one path::function a line",
        )
    return _unique(found.read(request))


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


def _names() -> list[str]:
    return sorted({*LAYOUTS, *plugins.installed(GROUP).names})


def _layout(name: str) -> Any:
    """A layout of this file, or the module of another. Raises UsageError if there is none."""
    if found := LAYOUTS.get(name.replace("-", "_")):
        return found
    if "." not in name and name not in plugins.installed(GROUP).names:
        raise UsageError(f"there is no dataset {name!r}", hint=f"choose one of: {', '.join(_names())}")
    return plugins.load(GROUP, name)


FUNCTION = "function"
"""Name of the file that names the function of a problem's slow.py."""


class Folders:
    """PROBLEM/slow.py, as this project's own `problems/`, with its cases and often fast.py next to it.

    For a function there are calls.py and a file `function` with its name, often accept.py with the checker of its
    answers.
    """

    def recognises(self, request: SetRequest) -> bool:
        """Whether some folder in the set holds a slow.py."""
        return request.path.is_dir() and bool(_folders(request.path))

    def read(self, request: SetRequest) -> Iterator[Problem]:
        """Read one problem a folder, by name. Raises UsageError."""
        for folder in _folders(request.path):
            program, fast = folder / "slow.py", folder / "fast.py"
            if (folder / FUNCTION).is_file():
                name = file_text(folder / FUNCTION).strip()
                check = f"{folder / 'accept.py'}::accept" if (folder / "accept.py").is_file() else ""
                calls = folder / "calls.py" if (folder / "calls.py").is_file() else None
                yield program_at(folder.name, program, function=name, target=fast, calls=calls, check=check)
            else:
                cases = request.cases / folder.name if request.cases else folder
                yield program_at(folder.name, program, cases, target=fast)


def _folders(home: Path) -> list[Path]:
    return sorted(path.parent for path in home.glob("*/slow.py"))


NOT_PROGRAMS = ("generate.py", "fast.py", "conftest.py")
"""Names of Python files that are no problems."""


class Programs:
    """A folder of slow programs: NAME.py, its cases in NAME/ or cases/NAME/ next to it."""

    def recognises(self, request: SetRequest) -> bool:
        """Whether the set is a folder of Python files, but no problem of the bundled layout."""
        return request.path.is_dir() and not (request.path / "slow.py").exists() and bool(_programs(request.path))

    def read(self, request: SetRequest) -> Iterator[Problem]:
        """Read one problem a file, by name."""
        for path in _programs(request.path):
            yield program_at(path.stem, path, _cases(request, path))


def _programs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if path.name not in NOT_PROGRAMS and path.name[0] not in "_.")


def _cases(request: SetRequest, path: Path) -> Path | None:
    """Folder of a program's cases: its own, even if that does not exist, never a neighbour's."""
    homes = [request.cases] if request.cases else [request.path, request.path / "cases"]
    found = [home / path.stem for home in homes if (home / path.stem).is_dir()]
    return found[0] if found else homes[0] / path.stem


class FunctionList:
    """One `path/to/file.py::qualified.name` a line, relative to the list; `#` begins a comment."""

    def recognises(self, request: SetRequest) -> bool:
        """Whether the set is a text file."""
        return request.path.is_file() and request.path.suffix in {".txt", ".list"}

    def read(self, request: SetRequest) -> Iterator[Problem]:
        """Read one problem a line; a line without `::` is a program. Raises UsageError for an empty list."""
        lines = [line.partition("#")[0].strip() for line in file_text(request.path).splitlines()]
        targets = [line for line in lines if line]
        if not targets:
            raise UsageError(f"{request.path} names no function", hint="write one path/to/file.py::name a line")
        for target in targets:
            name, _, function = target.partition("::")
            yield program_at(target, request.path.parent / name, request.cases, function=function)


SOURCES = ("input", "src_code", "slow", "code_v0_no_empty_lines", "code_v0")
"""Names of the slow program's field: the paper's first, then those of other releases."""
TARGETS = ("target", "tgt_code", "fast", "code_v1_no_empty_lines", "code_v1")
"""Names of the fast program's field, in the same order."""


class PairLines:
    """PIE's JSONL: a line has problem_id, input (the slow program) and target; its cases are PROBLEM/input.N.txt."""

    def recognises(self, request: SetRequest) -> bool:
        """Whether the set is a .jsonl file."""
        return request.path.is_file() and request.path.suffix in {".jsonl", ".ndjson"}

    def read(self, request: SetRequest) -> Iterator[Problem]:
        """Read one problem a line; a line that holds none is a skipped problem. Raises UsageError."""
        try:
            with request.path.open(encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    if line.strip():
                        yield _problem(request, number, line)
        except OSError as error:
            raise UsageError(f"cannot read {request.path}: {error.strerror}") from error


def _problem(request: SetRequest, number: int, line: str) -> Problem:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    row = row if isinstance(row, dict) else {}
    id = str(row.get("problem_id") or f"line-{number}")
    path = request.path.parent / f"{Path(id).name}.py"
    if not row:
        return Problem(id, "", path, skipped=f"line {number} is no JSON object")
    source, target = (
        next((row[name] for name in names if isinstance(row.get(name), str)), None) for names in (SOURCES, TARGETS)
    )
    cases = (request.cases or request.path.parent) / Path(id).name
    if source and source.strip():
        why_not = not_python(source) or ("" if cases.is_dir() else f"it has no cases: there is no folder {cases}")
    else:
        why_not = f"it has no program: none of the fields {', '.join(SOURCES)} holds one"
    return Problem(id, source or "", path, cases, target=target, skipped=why_not)


def not_python(source: str) -> str:
    """Reason why Python 3 cannot read a program; empty: it can."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"it is not Python 3: {getattr(error, 'msg', None) or error}"
    return ""


LAYOUTS = {"bundled": Folders(), "functions": FunctionList(), "pie": PairLines(), "programs": Programs()}
"""Layouts by name, in the order in which they are asked."""
