"""Sources of test cases: one a file, each with `find(request) -> list[Case]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.ownership import read_given
from codeopt_sandbox.caseio import holds_cases
from codeopt_sandbox.outcome import Case, Run

__all__ = ["Request", "cases_beside", "collect", "hold_out", "reads_stdin", "text"]

NO_INPUT = "without input"
"""The name of the one case of a program that reads nothing."""


@dataclass(frozen=True)
class Request:
    """Request to a source of cases."""

    program: Path
    folder: Path | None
    """Folder of cases that the user names; None for the program's folder."""
    stdin: Path | None
    """One input file, given by the user."""
    run: Callable[[str, Sequence[str]], Run]
    """Runs a program text with arguments, in the sandbox."""
    args: tuple[str, ...] | None = None
    """The program's arguments, given by the user; None: no word of them."""
    with_paths: tuple[Path, ...] = ()
    """Files and folders that a run finds, given by the user."""
    ignored: tuple[str, ...] = ()
    """Patterns of files that the program writes and that do not count."""
    source: str = ""
    """The program's text; one that mentions no input can be run as it is."""
    first_seed: int = 1
    """For sources that make cases: other seeds make other cases."""

    @property
    def folders(self) -> list[Path]:
        """Folders to look in, in order."""
        return [self.folder] if self.folder else [self.program.parent, self.program.parent / "cases"]

    @property
    def statement_folders(self) -> list[Path]:
        """Folders in which the problem's statement may be, in order."""
        return [*self.folders, self.program.parent]


def collect(request: Request) -> list[Case]:
    """The cases of every source that finds some. Raises UsageError when none does."""
    if request.folder and not request.folder.is_dir():
        raise UsageError(f"--cases {request.folder} is not a directory")
    found = find(request, _sources(request))
    if not found and request.source and not request.folder and not reads_stdin(request.source):
        return [Case(NO_INPUT, b"", files=(), ignored=request.ignored)]
    if not found:
        where = " or ".join(map(str, request.folders))
        raise UsageError(
            f"{request.program.name} has no test cases in {where}",
            hint="give --cases DIR, --stdin FILE (/dev/null without input), or its arguments after --",
        )
    return _unique(found)


def find(request: Request, sources: Sequence[str]) -> list[Case]:
    """The cases of some sources. Each has a working folder: the files that a run writes there are compared."""
    found = (case for name in sources for case in plugins.load("codeopt.cases", name).find(request))
    return [replace(case, files=case.files or (), ignored=request.ignored) for case in found]


def _sources(request: Request) -> list[str]:
    """Return the names of the sources to ask. The user's input comes before files in the program's folder."""
    if request.args is not None or request.with_paths:
        return ["arguments"]
    return ["stdin_file"] if request.stdin else plugins.names("codeopt.cases")


def cases_beside(program: Path) -> bool:
    """Return True if cases exist at the default places. It is False if the folder cannot be read."""
    folder = program.parent
    try:
        return (folder / "generate.py").exists() or (folder / "cases").is_dir() or holds_cases(folder)
    except OSError:
        return False


def _unique(cases: Iterable[Case]) -> list[Case]:
    names: set[str] = set()
    result = []
    for case in cases:
        name = case.name
        while name in names:
            name += "'"
        names.add(name)
        result.append(replace(case, name=name))
    return result


def hold_out(cases: Sequence[Case], seconds: Sequence[float]) -> list[Case]:
    """Mark the cases to hold out: the one that takes longest, and every third one down from it.

    `seconds` is what each case took the original. A single case has to be shown.
    """
    order = sorted(range(len(cases)), key=lambda at: -seconds[at])
    held = set(order[::3]) if len(cases) > 1 else set()
    return [replace(case, held_out=at in held) for at, case in enumerate(cases)]


def text(path: Path) -> bytes:
    """The bytes of a file that the user named. Raises UsageError."""
    try:
        return read_given(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


_STDIN = re.compile(r"\binput\s*\(|\bstdin\b|\bopen\(\s*0|\bfileinput\b|\bos\.read\(\s*0")


def reads_stdin(source: str) -> bool:
    """Return True if a program's text mentions its standard input."""
    return bool(_STDIN.search(source))
