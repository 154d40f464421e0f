"""Test cases of a program: the input that the user gives, or what lies beside the program.

A plug-in is a source of its own: a module with `find(request) -> list[Case]`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.core import plugins
from codeopt.core.errors import ProgramError, UsageError
from codeopt.core.ownership import read_given, require_own_way
from codeopt.core.run_inputs import read_run_inputs
from codeopt.core.words import end_of_run
from codeopt_sandbox.caseio import holds_cases, read_cases
from codeopt_sandbox.outcome import Case, Run

SMALL = 4
"""Number of small inputs that a generator is asked for."""
_STDIN = re.compile(r"\binput\s*\(|\bstdin\b|\bopen\(\s*0|\bfileinput\b|\bos\.read\(\s*0")


@dataclass(frozen=True)
class Request:
    """Request for cases."""

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
    found = find(request)
    if not found and request.source and not request.folder and not reads_stdin(request.source):
        # the name of the one case of a program that reads nothing
        return [Case("without input", b"", files=(), ignored=request.ignored)]
    if not found:
        where = " or ".join(map(str, request.folders))
        raise UsageError(
            f"{request.program.name} has no test cases in {where}",
            hint="give --cases DIR, --stdin FILE (/dev/null without input), or its arguments after --",
        )
    names: set[str] = set()
    result = []
    for case in found:
        name = case.name
        while name in names:
            name += "'"
        names.add(name)
        result.append(replace(case, name=name))
    return result


def find(request: Request) -> list[Case]:
    """The cases; input of the user's stands alone. Each has a working folder: the files that a run writes there are
    compared. Other seeds find what is made for them: files stay the same."""
    first = request.first_seed == 1
    found: list[Case] = []
    if request.args is not None or request.with_paths:
        if first:
            args, files = read_run_inputs(request.args or (), request.with_paths)
            stdin = text(request.stdin) if request.stdin else b""
            found = [Case("arguments", stdin, args=args, files=files)]
    elif request.stdin:
        # without an output: the original program says what is right
        found = [Case(request.stdin.name, text(request.stdin))] if first else []
    else:
        found = [*(_in_folder(request) if first else ()), *_generated(request)]
        for name in plugins.names("codeopt.cases"):
            found += plugins.load("codeopt.cases", name).find(request)
    return [replace(case, files=case.files or (), ignored=request.ignored) for case in found]


def _in_folder(request: Request) -> list[Case]:
    """The cases of the first folder that holds any, in the layouts that codeopt_sandbox.caseio knows."""
    for folder in request.folders:
        if folder.is_dir():
            require_own_way(folder, f"the folder of cases {folder}", "put a copy in its place")
            try:
                cases = read_cases(folder)
            except OSError as error:
                raise UsageError(f"cannot read {error.filename}: {error.strerror}") from error
            if cases:
                return cases
    return []


def _generated(request: Request) -> Iterator[Case]:
    """Inputs from the first generate.py, which the sandbox runs: `generate.py SEED small|large` prints one. The
    original program says what is right."""
    script = find_script(request)
    source = text(script).decode("utf-8", "replace") if script else ""
    # number of large inputs
    for size, count in (("small", SMALL), ("large", 3)) if script else ():
        for seed in range(request.first_seed, request.first_seed + count):
            run = request.run(source, (str(seed), size))
            if run.exit != 0 or run.stop:
                raise ProgramError(f"{script} {seed} {size} failed: {end_of_run(run)}")
            yield Case(f"{size}.{seed}", run.stdout)


def find_script(request: Request) -> Path | None:
    """Return the generator in the program's folder or among its cases."""
    return next((path for folder in request.folders if os.path.lexists(path := folder / "generate.py")), None)


def text(path: Path) -> bytes:
    """The bytes of a file that the user named. Raises UsageError."""
    try:
        return read_given(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def hold_out(cases: Sequence[Case], seconds: Sequence[float]) -> list[Case]:
    """Mark the cases to hold out: the one that takes longest, and every third one down from it.

    `seconds` is what each case took the original. A single case has to be shown.
    """
    order = sorted(range(len(cases)), key=lambda at: -seconds[at])
    held = set(order[::3]) if len(cases) > 1 else set()
    return [replace(case, held_out=at in held) for at, case in enumerate(cases)]


def cases_beside(program: Path) -> bool:
    """Return True if cases exist at the default places. It is False if the folder cannot be read."""
    folder = program.parent
    try:
        return (folder / "generate.py").exists() or (folder / "cases").is_dir() or holds_cases(folder)
    except OSError:
        return False


def reads_stdin(source: str) -> bool:
    """Return True if a program's text mentions its standard input."""
    return bool(_STDIN.search(source))
