"""Foreign data sets: each is read as pairs of programs; `check_pair` decides what is kept."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.batch.datasets import SOURCES, TARGETS, SetRequest, not_python
from codeopt.core.errors import UsageError
from codeopt_sandbox.caseio import read_cases
from codeopt_sandbox.outcome import Case, CaseVerdict, Run
from codeopt_sandbox.plain_files import NotPlain, read_bytes, read_text
from codeopt_sandbox.verdict import Checker, judge

PAIRS = "pairs.jsonl"
"""Name of the file that lists the programs of a set."""
RunProgram = Callable[[str, bytes, int], Run]
"""Callable that runs a program text on an input with a hash seed, in the sandbox."""


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


@dataclass(frozen=True)
class ImportDecision:
    """A pair with the decision whether it is kept."""

    pair: ProgramPair
    skipped: str = ""
    """Reason why it was left out; empty: it was kept."""
    note: str = ""
    """Reason why a part of a kept one was left out; empty: nothing was."""


def check_pair(pair: ProgramPair, run: RunProgram, check: Checker) -> ImportDecision:
    """Decide whether a pair can be judged: Python 3, right on its cases, the same each time, with unique answers."""
    missing = "" if pair.source.strip() else "it has no program"
    missing = missing if pair.cases else "it has no cases"
    other = "" if pair.language.lower().startswith("py") else f"it is {pair.language}"
    if reason := other or not_python(pair.source) or missing:
        return ImportDecision(pair, reason)
    for case in pair.cases:
        outcome = judge(case, run(pair.source, case.stdin, 0), check)
        if outcome.verdict is not CaseVerdict.AC:
            return ImportDecision(pair, f"it fails its own case {case.name}: {outcome.words}")
    again = judge(pair.cases[0], run(pair.source, pair.cases[0].stdin, 1), check)
    if again.verdict is not CaseVerdict.AC:
        return ImportDecision(pair, f"it prints something else each time: {again.detail}")
    # Check the target: the contest's judge accepted it too, so if it differs, answers are not unique.
    if not pair.target or not_python(pair.target):
        return ImportDecision(replace(pair, target=None), note="the target is not Python 3" if pair.target else "")
    for each in pair.cases:
        reached = judge(each, run(pair.target, each.stdin, 0), check)
        if reached.verdict is CaseVerdict.WA:
            return ImportDecision(
                pair, f"its answers are not unique: the target's differ on case {each.name}, {reached.detail}"
            )
        if reached.verdict is not CaseVerdict.AC:
            return ImportDecision(
                replace(pair, target=None), note=f"the target fails case {each.name}: {reached.verdict.words}"
            )
    return ImportDecision(pair)


# Project CodeNet: for each problem, one user's slowest and fastest accepted Python submission by the judge's times.

MIN_RATIO = 1.1
"""Smallest ratio of the judge's times at which two programs are a pair."""


def read_codenet(request: SetRequest) -> Iterator[ProgramPair]:
    """Read the pair with the largest ratio of each problem. Raises UsageError."""
    tables = sorted((request.path / "metadata").glob("p*.csv"))
    if not tables:
        raise UsageError(f"{request.path} is no Project_CodeNet folder: it has no metadata/pXXXXX.csv")
    for table in tables:
        times: dict[str, list[tuple[float, str]]] = {}  # (milliseconds, submission) of each user
        with table.open(encoding="utf-8", errors="replace", newline="") as file:
            for row in csv.DictReader(file):
                fits = row.get("status") == "Accepted" and row.get("language") == "Python"
                if fits and (row.get("cpu_time") or "").isdigit():
                    times.setdefault(row["user_id"], []).append((float(row["cpu_time"]), row["submission_id"]))
        pairs = ((max(found), min(found)) for found in times.values())
        lifts = ((slow_ms / max(fast_ms, 1.0), slow, fast) for (slow_ms, slow), (fast_ms, fast) in pairs)
        id, best = table.stem, max(lifts, default=None)
        if best is None or best[0] < MIN_RATIO:
            continue
        programs = [request.path / "data" / id / "Python" / f"{name}.py" for name in best[1:]]
        slow, fast = (read_text(path, "replace") if path.is_file() else "" for path in programs)
        home = (request.cases or request.path / "derived" / "input_output" / "data") / id
        cases, given, expected = _cases_in([home]), home / "input.txt", home / "output.txt"
        if not cases and given.is_file():  # CodeNet's own sample
            cases = (Case("0", read_bytes(given), read_bytes(expected) if expected.is_file() else None),)
        yield ProgramPair(id, slow, fast or None, cases)


# PIE: JSONL with problem_id, input and target; cases in folders named as the problem.

PIE_FOLDERS = ("", "cases", "test_cases", "public_test_cases", "merged_test_cases", "codenet/public_test_cases")


def read_pie(request: SetRequest) -> Iterator[ProgramPair]:
    """Read one pair a line. Raises UsageError."""
    home = request.path if request.path.is_dir() else request.path.parent
    homes = [request.cases] if request.cases else [home / name for name in PIE_FOLDERS]
    for number, row in enumerate(_json_lines(request.path), 1):
        id = str(row.get("problem_id") or f"line-{number}")
        source = next((str(row[name]) for name in SOURCES if row.get(name)), "")
        target = next((str(row[name]) for name in TARGETS if row.get(name)), None)
        yield ProgramPair(
            id, source, target, _cases_in([each / id for each in homes]), str(row.get("language") or "Python")
        )


# ECCO's editing half: PIE's fields, and test_cases/ with public, private and generated cases a problem.

_OF_CODENET = ("codenet/public_test_cases", "codenet/generated_test_cases")
KINDS = ("public_test_cases", "private_test_cases", "generated_test_cases", *_OF_CODENET)


def read_ecco(request: SetRequest) -> Iterator[ProgramPair]:
    """Read one pair a line, with the cases of every kind that is there. Raises UsageError."""
    home = request.path if request.path.is_dir() else request.path.parent
    roots = [request.cases] if request.cases else [home / "test_cases", home]
    for pair in read_pie(request):
        yield replace(pair, cases=_cases_in([root / kind / pair.id for root in roots for kind in KINDS]) or pair.cases)


def _cases_in(folders: Sequence[Path]) -> tuple[Case, ...]:
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


def _json_lines(path: Path) -> Iterator[dict[str, object]]:
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


PROGRAMS = {"codenet": read_codenet, "pie": read_pie, "ecco": read_ecco}
"""Readers of data sets by name."""
