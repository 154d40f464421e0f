"""Foreign data sets: each is read as programs or functions; `check_pair` and `check_function` decide what is kept."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from codeopt.batch.datasets import FUNCTION, SOURCES, TARGETS, file_text, not_python
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


def _static(pair: ProgramPair) -> str:
    if not pair.language.lower().startswith("py"):
        return f"it is {pair.language}"
    if reason := not_python(pair.source):
        return reason
    if not pair.cases:
        return "it has no cases"
    return "" if pair.source.strip() else "it has no program"


# Functions: each becomes a folder that `codeopt batch` reads, if its original answers its calls.

ANSWERED = b"codeopt import: answered "
"""Beginning of the line by which the program below ends."""
_ANSWERS = """
import importlib, json, os, sys, tempfile
asked = json.load(sys.stdin)
home = tempfile.mkdtemp()
for name in asked["files"]:
    with open(os.path.join(home, name), "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(asked["files"][name])
os.chdir(home)
sys.path.insert(0, home)
function = importlib.import_module("slow")
for name in asked["function"].split("."):
    function = getattr(function, name)
number = 0
for entry in importlib.import_module("calls").CALLS:
    whole = len(entry) == 2 and type(entry[0]) in (tuple, list) and type(entry[1]) is dict
    args, kwargs = entry if whole else (entry, {})
    try:
        function(*args, **kwargs)
    except Exception as error:
        raise SystemExit("call %d raises %s: %s" % (number, type(error).__name__, error))
    number += 1
os.write(1, b"\\n" + asked["end"].encode() + b"%d\\n" % number)
"""


@dataclass(frozen=True)
class FunctionTask:
    """A slow function of a foreign set, with its calls."""

    id: str
    function: str
    slow: str
    calls: str
    fast: str | None = None
    """Text of a module in which it is faster, by a human."""
    accept: str | None = None
    """Text of a module whose `accept` says which answers are right."""
    drafts: Mapping[str, str] = field(default_factory=dict)
    """Texts that models wrote, by name."""

    def files(self) -> dict[str, str]:
        """Texts of the files of the task's folder, by name."""
        files = {FUNCTION: f"{self.function}\n", "slow.py": self.slow, "calls.py": self.calls}
        files |= {"fast.py": self.fast} if self.fast else {}
        files |= {"accept.py": self.accept} if self.accept else {}
        return files | {f"drafts/{name}": text for name, text in self.drafts.items()}

    def write(self, home: Path) -> None:
        """Add the task to those of a folder, in the layout that `codeopt batch` reads."""
        for name, text in self.files().items():
            path = home / self.id / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def check_function(task: FunctionTask, run: RunProgram) -> ImportDecision:
    """Decide whether a function can be judged: Python 3, and it returns on each of its calls."""
    if reason := not_python(task.slow):
        return ImportDecision(task, reason)
    files = {"slow.py": task.slow, "calls.py": task.calls}
    asked = {"files": files, "function": task.function, "end": ANSWERED.decode()}
    ran = run(_ANSWERS, json.dumps(asked).encode(), 0)
    if ran.exit == 0 and ran.stop is None and ANSWERED in ran.stdout:
        return ImportDecision(task)
    said = ran.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:300]
    return ImportDecision(task, f"it fails its own calls: {ran.stop_detail or said or f'exit status {ran.exit}'}")


def last_function(source: str, wanted: str = "") -> str:
    """Name of the function that a module is about: `wanted` where it is there, else the last; empty where none is."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return wanted
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return wanted if wanted in names else (names or [""])[-1]


# Project CodeNet: for each problem, one user's slowest and fastest accepted Python submission by the judge's times.

MIN_RATIO = 1.1
"""Smallest ratio of the judge's times at which two programs are a pair."""


def read_codenet(request: ImportRequest) -> Iterator[ProgramPair]:
    """Read the pair with the largest ratio of each problem. Raises UsageError."""
    tables = sorted((request.path / "metadata").glob("p*.csv"))
    if not tables:
        raise UsageError(f"{request.path} is no Project_CodeNet folder: it has no metadata/pXXXXX.csv")
    for table in tables:
        pair = _pair(request, table)
        if pair is not None:
            yield pair


def _pair(request: ImportRequest, table: Path) -> ProgramPair | None:
    id = table.stem
    best = max(_lifts(table), default=None)
    if best is None or best[0] < MIN_RATIO:
        return None
    programs = [request.path / "data" / id / "Python" / f"{name}.py" for name in best[1:]]
    slow, fast = (read_text(path, "replace") if path.is_file() else "" for path in programs)
    homes = [request.cases] if request.cases else [request.path / "derived" / "input_output" / "data"]
    return ProgramPair(id, slow, fast or None, _cases_in([home / id for home in homes]) or _single(homes[0] / id))


def _lifts(table: Path) -> Iterator[tuple[float, str, str]]:
    """(ratio of times, slow submission, fast submission) of each user."""
    times: dict[str, list[tuple[float, str]]] = {}
    with table.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            if (
                row.get("status") == "Accepted"
                and row.get("language") == "Python"
                and (row.get("cpu_time") or "").isdigit()
            ):
                times.setdefault(row["user_id"], []).append((float(row["cpu_time"]), row["submission_id"]))
    for found in times.values():
        (fast_ms, fast), (slow_ms, slow) = min(found), max(found)
        yield slow_ms / max(fast_ms, 1.0), slow, fast


def _single(folder: Path) -> tuple[Case, ...]:
    """Read CodeNet's own sample, input.txt and output.txt, as a case."""
    given, expected = folder / "input.txt", folder / "output.txt"
    if not given.is_file():
        return ()
    return (Case("0", read_bytes(given), read_bytes(expected) if expected.is_file() else None),)


# PIE: JSONL with problem_id, input and target; cases in folders named as the problem.

PIE_FOLDERS = ("", "cases", "test_cases", "public_test_cases", "merged_test_cases", "codenet/public_test_cases")


def read_pie(request: ImportRequest) -> Iterator[ProgramPair]:
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


def read_ecco(request: ImportRequest) -> Iterator[ProgramPair]:
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


# COFFE's programs of CodeContests: PROBLEM/slow.py, fast.py, and cases/ with the contest's tests.


def read_coffe(request: ImportRequest) -> Iterator[ProgramPair]:
    """Read one pair a folder. Raises UsageError."""
    folders = sorted(path.parent for path in request.path.glob("*/slow.py"))
    if not folders:
        raise UsageError(f"{request.path} is no folder of COFFE's programs: it has no PROBLEM/slow.py")
    for folder in folders:
        slow, fast = folder / "slow.py", folder / "fast.py"
        target = read_text(fast, "replace") if fast.is_file() else None
        homes = [request.cases / folder.name] if request.cases else [folder / "cases"]
        yield ProgramPair(folder.name, read_text(slow, "replace"), target, _cases_in(homes))


# ENAMEL's tasks: TASK/slow.py, expert.py, and calls.py of the expert's generators.


def read_enamel(request: ImportRequest) -> Iterator[FunctionTask]:
    """Read one task a folder. Raises UsageError."""
    folders = sorted(path.parent for path in request.path.glob("*/expert.py"))
    if not folders:
        raise UsageError(f"{request.path} is no folder of ENAMEL's tasks: it has no TASK/expert.py")
    for folder in folders:
        slow, expert, calls = (file_text(folder / f"{name}.py") for name in ("slow", "expert", "calls"))
        yield FunctionTask(folder.name, last_function(slow, folder.name.partition("_")[2]), slow, calls, expert)


# AlgoTune's tasks: TASK/slow.py with the task's class and `solve`, calls.py, and drafts/ that models wrote.

ACCEPT = """

def accept(arguments, expected, got):
    return bool(_TASK.is_solution(arguments["problem"], got))
"""
"""Function by which the task's own `is_solution` decides."""


def read_algotune(request: ImportRequest) -> Iterator[FunctionTask]:
    """Read one task a folder. Raises UsageError."""
    folders = sorted(path.parent for path in request.path.glob("*/slow.py") if (path.parent / "calls.py").is_file())
    if not folders:
        raise UsageError(f"{request.path} is no folder of AlgoTune's tasks: it has no TASK/slow.py with a calls.py")
    for folder in folders:
        slow, calls = (file_text(folder / f"{name}.py") for name in ("slow", "calls"))
        drafts = {path.name: read_text(path, "replace") for path in sorted(folder.glob("drafts/*.py"))}
        yield FunctionTask(folder.name, "solve", slow, calls, accept=slow + ACCEPT, drafts=drafts)


PROGRAMS = {"codenet": read_codenet, "pie": read_pie, "ecco": read_ecco, "coffe": read_coffe}
"""Sets of programs that read standard input."""
FUNCTIONS = {"enamel": read_enamel, "algotune": read_algotune}
"""Sets of functions with their calls."""
