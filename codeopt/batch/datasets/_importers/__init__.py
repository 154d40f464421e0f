"""Foreign data sets: a file each, with `read(request) -> Iterator[ProgramPair]`; `check_pair` decides what is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from codeopt.batch.datasets.pie import not_python
from codeopt.core.errors import UsageError
from codeopt_sandbox.caseio import read_cases
from codeopt_sandbox.outcome import Case, Run, Verdict
from codeopt_sandbox.verdict import Checker, judge

RunProgram = Callable[[str, bytes, int], Run]
"""Runs a program text on an input with a hash seed, in the sandbox."""


@dataclass(frozen=True)
class ImportRequest:
    """What an importer is asked for."""

    path: Path
    cases: Path | None = None
    """One folder of cases a problem; None: where the data set has them."""


@dataclass(frozen=True)
class ProgramPair:
    """One pair of a foreign set."""

    id: str
    source: str
    target: str | None
    cases: tuple[Case, ...]
    language: str = "Python"


@dataclass(frozen=True)
class ImportDecision:
    """What became of a pair."""

    pair: ProgramPair
    dropped: str = ""
    """Why it was left out; empty when it was kept."""
    note: str = ""
    """What was left out of a pair that was kept."""


def check_pair(pair: ProgramPair, run: RunProgram, check: Checker) -> ImportDecision:
    """Keep what can be judged: Python 3, right on its own cases, the same each time, with answers that are unique."""
    if reason := _static(pair):
        return ImportDecision(pair, reason)
    for case in pair.cases:
        outcome = judge(case, run(pair.source, case.stdin, 0), check)
        if outcome.verdict is not Verdict.AC:
            return ImportDecision(
                pair, f"it fails its own case {case.name}: {outcome.verdict} {outcome.detail}".strip()
            )
    again = judge(pair.cases[0], run(pair.source, pair.cases[0].stdin, 1), check)
    if again.verdict is not Verdict.AC:
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
    """The contest's judge accepted the human's program too: where it answers otherwise, answers are not unique."""
    if not pair.target or not_python(pair.target):
        return ImportDecision(replace(pair, target=None), note="the target is not Python 3" if pair.target else "")
    for case in pair.cases:
        outcome = judge(case, run(pair.target, case.stdin, 0), check)
        if outcome.verdict is Verdict.WA:
            return ImportDecision(
                pair, f"its answers are not unique: the target's differ on case {case.name}, {outcome.detail}"
            )
        if outcome.verdict is not Verdict.AC:
            return ImportDecision(
                replace(pair, target=None), note=f"the target fails case {case.name}: {outcome.verdict}"
            )
    return ImportDecision(pair)


def write(decision: ImportDecision, home: Path, pairs: TextIO) -> None:
    """A pair that was kept, in the layout that `codeopt batch` reads."""
    pair = decision.pair
    folder = home / Path(pair.id).name
    folder.mkdir(exist_ok=True)
    for number, case in enumerate(pair.cases):
        (folder / f"input.{number}.txt").write_bytes(case.stdin)
        if case.expected is not None:
            (folder / f"output.{number}.txt").write_bytes(case.expected)
    row = {"problem_id": pair.id, "input": pair.source} | ({"target": pair.target} if pair.target else {})
    pairs.write(json.dumps(row) + "\n")


def cases_in(folders: Sequence[Path]) -> tuple[Case, ...]:
    """The cases of all of these folders that are there."""
    found: list[Case] = []
    for folder in folders:
        if folder.is_dir():
            found += [replace(case, name=str(len(found) + n)) for n, case in enumerate(read_cases(folder))]
    return tuple(found)


def json_lines(path: Path) -> Iterator[dict[str, object]]:
    """The objects of a JSONL file, or of all in a folder. Raises UsageError when there is none."""
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise UsageError(f"there is no .jsonl file in {path} (parquet: export it with `datasets`, to_json)")
    for file in files:
        with file.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                except ValueError:
                    row = None
                if line.strip():
                    yield row if isinstance(row, dict) else {}
