"""Foreign data sets: a file each, with `read(request)`, which gives programs or functions; `check_pair` and
`_functions.check_function` decide what is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from codeopt.batch.datasets.pie import not_python
from codeopt.core.errors import UsageError
from codeopt_sandbox.caseio import read_cases
from codeopt_sandbox.outcome import Case, CaseVerdict, Run
from codeopt_sandbox.plain_files import NotPlain
from codeopt_sandbox.verdict import Checker, judge

PAIRS = "pairs.jsonl"
"""Name of the file that lists the programs of a set."""
RunProgram = Callable[[str, bytes, int], Run]
"""Callable that runs a program text on an input with a hash seed, in the sandbox."""


@dataclass(frozen=True)
class ImportRequest:
    """Request to an importer for the pairs of a foreign set."""

    path: Path
    cases: Path | None = None
    """Folder that holds one folder of cases a problem; None: the data set's own place."""


@dataclass(frozen=True)
class ProgramPair:
    """A slow and a fast program of a foreign set, with their cases."""

    id: str
    source: str
    target: str | None
    cases: tuple[Case, ...]
    language: str = "Python"

    def write(self, home: Path) -> None:
        """Add the pair to those of a folder, in the layout that `codeopt batch` reads."""
        folder = home / Path(self.id).name
        folder.mkdir(exist_ok=True)
        for number, case in enumerate(self.cases):
            (folder / f"input.{number}.txt").write_bytes(case.stdin)
            if case.expected is not None:
                (folder / f"output.{number}.txt").write_bytes(case.expected)
        row = {"problem_id": self.id, "input": self.source} | ({"target": self.target} if self.target else {})
        with (home / PAIRS).open("a", encoding="utf-8") as pairs:
            pairs.write(json.dumps(row) + "\n")


class ImportedEntry(Protocol):
    """A pair of programs or a function of a foreign set."""

    @property
    def id(self) -> str:
        """Name in the set."""

    def write(self, home: Path) -> None:
        """Add it to a folder, in the layout that `codeopt batch` reads."""


@dataclass(frozen=True)
class ImportDecision:
    """A pair or a function with the decision whether it is kept."""

    entry: ImportedEntry
    skipped: str = ""
    """Reason why it was left out; empty: it was kept."""
    note: str = ""
    """Reason why a part of a kept one was left out; empty: nothing was."""


def check_pair(pair: ProgramPair, run: RunProgram, check: Checker) -> ImportDecision:
    """Decide whether a pair can be judged: Python 3, right on its cases, the same each time, with unique answers."""
    if reason := _static(pair):
        return ImportDecision(pair, reason)
    for case in pair.cases:
        outcome = judge(case, run(pair.source, case.stdin, 0), check)
        if outcome.verdict is not CaseVerdict.AC:
            return ImportDecision(pair, f"it fails its own case {case.name}: {outcome.words}")
    again = judge(pair.cases[0], run(pair.source, pair.cases[0].stdin, 1), check)
    if again.verdict is not CaseVerdict.AC:
        return ImportDecision(pair, f"it prints something else each time: {again.detail}")
    return _with_target(pair, run, check)


def _static(pair: ProgramPair) -> str:
    if not pair.language.lower().startswith("py"):
        return f"it is {pair.language}"
    if reason := not_python(pair.source):
        return reason
    if not pair.cases:
        return "it has no cases"
    return "" if pair.source.strip() else "it has no program"


def _with_target(pair: ProgramPair, run: RunProgram, check: Checker) -> ImportDecision:
    """Check the target: the contest's judge accepted it too, so if it differs, answers are not unique."""
    if not pair.target or not_python(pair.target):
        return ImportDecision(replace(pair, target=None), note="the target is not Python 3" if pair.target else "")
    for case in pair.cases:
        outcome = judge(case, run(pair.target, case.stdin, 0), check)
        if outcome.verdict is CaseVerdict.WA:
            return ImportDecision(
                pair, f"its answers are not unique: the target's differ on case {case.name}, {outcome.detail}"
            )
        if outcome.verdict is not CaseVerdict.AC:
            return ImportDecision(
                replace(pair, target=None), note=f"the target fails case {case.name}: {outcome.verdict.words}"
            )
    return ImportDecision(pair)


def cases_in(folders: Sequence[Path]) -> tuple[Case, ...]:
    """Read the cases of those folders that exist. Raises UsageError."""
    found: list[Case] = []
    for folder in folders:
        if folder.is_dir():
            try:
                cases = read_cases(folder)
            except NotPlain as error:
                raise UsageError(f"cannot read {error.filename}: {error.strerror}") from error
            found += [replace(case, name=str(len(found) + n)) for n, case in enumerate(cases)]
    return tuple(found)


def json_lines(path: Path) -> Iterator[dict[str, object]]:
    """Read the objects of a JSONL file, or of all such files in a folder. Raises UsageError where there is no file."""
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise UsageError(f"there is no .jsonl file in {path}", hint="export parquet with `datasets`, to_json")
    for file in files:
        with file.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                except ValueError:
                    row = None
                if line.strip():
                    yield row if isinstance(row, dict) else {}
