"""Trials of the judge on drafts that others wrote: what is judged, what is true of it, what came out."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import kept_lines
from codeopt.core.errors import CodeoptError
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.session import Session
from codeopt.engine.compare import compare
from codeopt_sandbox import RunLimits, open_sandbox
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.host import Options

RIGHT, CHANGES, COMPILED, WRONG, UNKNOWN = "right", "changes arguments", "right, compiled", "wrong", "unknown"
"""Kinds of drafts, by what is true of them."""


@dataclass(frozen=True)
class Truth:
    """Truth about a draft, found without the judge."""

    kind: str
    why: str = ""
    """Evidence for the kind, or the reason why it is not known."""


@dataclass(frozen=True)
class Trial:
    """One draft of an arena."""

    task: str
    draft: str
    old: Target
    new: Target
    options: ImproveOptions
    truth: Callable[[], Truth] = field(repr=False)

    @property
    def name(self) -> str:
        """`svd / GPT-5.2`."""
        return name_of(self.task, self.draft)

    def row(self, truth: Truth) -> dict[str, Any]:
        """Truth about the draft and the judge's answer, as one line of JSON; no answer where the truth is not known."""
        row: dict[str, Any] = {"task": self.task, "draft": self.draft, "kind": truth.kind, "why": truth.why}
        if truth.kind == UNKNOWN:
            return row
        started, cpu = time.monotonic(), time.process_time()
        found = self._judged()
        took = {"seconds": round(time.monotonic() - started, 1), "own_cpu_s": round(time.process_time() - cpu, 1)}
        names = ("verdict", "reason", "ratio", "caveats")
        contract = (found.get("evidence") or {}).get("contract", "")
        return {**row, **{name: found.get(name) for name in names}, "contract": contract, **took}

    def _judged(self) -> dict[str, Any]:
        try:
            return compare(self.old, self.new, self.options, Session()).to_json()
        except (CodeoptError, SandboxError) as error:
            return {"verdict": "not judged", "reason": str(error), "caveats": []}


def name_of(task: str, draft: str) -> str:
    """Name of a trial."""
    return f"{task} / {draft}"


def is_accepted(row: dict[str, Any]) -> bool:
    """Return whether a draft was judged and not rejected."""
    return row["verdict"] not in ("wrong", "not judged")


def is_false(row: dict[str, Any]) -> bool:
    """Return whether a wrong draft is called faster without a caveat."""
    return bool(row["kind"] == WRONG and row["verdict"] == "faster" and not row["caveats"])


def line(row: dict[str, Any]) -> str:
    """Line of a row on the screen."""
    name = name_of(row["task"], row["draft"])
    if row["kind"] == UNKNOWN:
        return f"--  {name:<60} {row['kind']}: {row['why'][:200]}"
    good = is_accepted(row) if row["kind"] != WRONG else not is_false(row)
    head = f"{'ok ' if good else 'BAD'} {name:<60} {row['kind']:<18} {row['verdict']:<12} {row['ratio'] or 0:7.2f}x"
    about = [((each["input"] or each["got"])[:100], each["cause"][:120]) for each in row["caveats"] or ()]
    told = [f"      caveat: {what}: {cause}" for what, cause in about]
    reason = [f"      {row['reason'][:400]}"] if row["reason"] else []
    return "\n".join([f"{head}  {row['seconds']} s", *reason, *told])


def table(name: str, rows: list[dict[str, Any]]) -> str:
    """Shares of an arena in Markdown."""
    lines = [
        f"| {name}: drafts | number | not rejected | of these with caveats | faster | faster without a caveat |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for kind in (RIGHT, COMPILED, CHANGES, WRONG):
        part = [row for row in rows if row["kind"] == kind]
        if part:
            kept = [row for row in part if is_accepted(row)]
            faster = [row for row in part if row["verdict"] == "faster"]
            counts = (len(part), len(kept), sum(bool(row["caveats"]) for row in kept), len(faster))
            lines.append(f"| {kind} | {' | '.join(map(str, counts))} | {sum(not row['caveats'] for row in faster)} |")
    unknown = sum(row["kind"] == UNKNOWN for row in rows)
    return "\n".join([*lines, *([f"\nnot known to be right or wrong, and not judged: {unknown}"] if unknown else [])])


def kept_rows(results: Path | None) -> dict[str, dict[str, Any]]:
    """Rows of an earlier run, by the names of their trials; half a line of one that was killed is said and left out."""
    found = {}
    for row in kept_lines(results, "row of a trial"):
        try:
            found[name_of(row["task"], row["draft"])] = row
        except (KeyError, TypeError):
            print(f"{results}: a row is none of a trial, and is left out: {str(row)[:60]}", file=sys.stderr)
    return found


@dataclass
class ProbeBudget:
    """Counts drafts that are judged, by task, right and wrong ones apart."""

    each: int | None
    """Right drafts of a task, and wrong ones, that are judged; None for all."""
    judged: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def is_full(self, task: str) -> bool:
        """Return whether no further draft of a task is judged, of any kind."""
        return self.each is not None and all(self.judged[task, wrong] >= self.each for wrong in (False, True))

    def takes(self, task: str, kind: str) -> bool:
        """Return whether a draft of this kind is judged, and count it then."""
        if self.each is not None and self.judged[task, kind == WRONG] >= self.each:
            return False
        self.judged[task, kind == WRONG] += kind != UNKNOWN
        return True


def first_of_each_task(trials: Iterator[Trial], tasks: int | None, drafts: int | None) -> Iterator[Trial]:
    """At most so many drafts of at most so many tasks."""
    counts: dict[str, int] = {}
    for trial in trials:
        if trial.task not in counts and tasks is not None and len(counts) >= tasks:
            return
        counts[trial.task] = counts.get(trial.task, 0) + 1
        if drafts is None or counts[trial.task] <= drafts:
            yield trial


# Settings of an arena: its data, and which part of them is judged in what way.


@dataclass(frozen=True)
class Settings:
    """Data, and which part of them is judged in what way."""

    data: Path
    work: Path
    """Folder of files that are made: drafts with mistakes, checkers, calls."""
    only: tuple[str, ...] = ()
    wrong: int = 2
    """Drafts with a mistake a task, where the arena makes them."""
    shown: int = 4
    """Calls or tests of a task that the judge is given with a wrong draft."""
    size: int = 100
    """Largest size of a generated problem that is timed."""
    pairs: int = 8
    python: str | None = None
    sandbox: str = "bubblewrap"
    known: frozenset[str] = frozenset()
    """Names of the trials that an earlier run has judged."""

    @property
    def runner(self) -> Runner:
        """Runner that finds out what is true."""
        return Runner(self.python, sandbox=self.sandbox)

    @property
    def quick_runner(self) -> Runner:
        """Return the same runner with a limit of 15 s, for drafts that may not end."""
        return Runner(self.python, 15.0, self.sandbox)

    def folders(self, holds: str) -> Iterator[Path]:
        """Folders of the tasks that are asked for, by name, with a file or folder of this name in each."""
        for folder in sorted(path.parent for path in self.data.glob(f"*/{holds}")):
            if not self.only or any(word in folder.name for word in self.only):
                yield folder

    def knows(self, task: str, drafts: Sequence[str]) -> bool:
        """Return whether an earlier run has judged all of these drafts, so that they need not be made again."""
        return all(name_of(task, draft) in self.known for draft in drafts)

    def options(self) -> ImproveOptions:
        """Options of each comparison."""
        return ImproveOptions(sandbox=self.sandbox, python=self.python, max_pairs=self.pairs, no_tests=True)

    def written(self, task: str, name: str, text: str) -> Path:
        """A file that is made for a task."""
        path = self.work / task / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path


# Truth about a draft: it is run in the sandbox on all calls of its task, without the judge.

MARK = "arena: "
"""Beginning of the line that says what was found; what drafts print stands on other lines."""
PROGRAM = """
import copy, importlib, json, math, os, sys, tempfile
asked = json.load(sys.stdin)
home = tempfile.mkdtemp()
for name, text in asked["files"].items():
    with open(os.path.join(home, name), "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
os.chdir(home)
sys.path.insert(0, home)

def same(one, other):
    if type(one).__module__ == "numpy" or type(other).__module__ == "numpy":
        import numpy
        return numpy.shape(one) == numpy.shape(other) and bool(numpy.all(numpy.isclose(one, other, 1e-9, 1e-9)))
    if isinstance(one, float) and isinstance(other, (int, float)):
        return one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9) or (one != one and other != other)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return type(one) is type(other) and list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    if hasattr(one, "toarray"):
        return hasattr(other, "toarray") and same(one.toarray(), other.toarray())
    return type(one) is type(other) and one == other

def as_call(entry):
    whole = len(entry) == 2 and type(entry[0]) in (tuple, list) and type(entry[1]) is dict
    return (tuple(entry[0]), entry[1]) if whole else (tuple(entry), {})

def outcome(function, call):
    args, kwargs = copy.deepcopy(call)
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        return ("raises", type(error).__name__), (args, kwargs)
    return ("returns", copy.deepcopy(result)), (args, kwargs)

slow, calls = importlib.import_module("slow"), importlib.import_module("calls")
found = {"number": 0, "differ": 0, "changes": 0, "first": "", "loads": True}
try:
    draft = importlib.import_module("draft")
    new = getattr(draft, asked["name"])
except BaseException as error:
    found = {**found, "loads": False, "first": "%s: %s" % (type(error).__name__, error)}
else:
    old = getattr(slow, asked["name"])
    for call in map(as_call, [*calls.CALLS, *calls.BIG]):
        found["number"] += 1
        now, left = outcome(new, call)
        found["changes"] += not same(list(left), list(call))
        if asked["accepts"]:
            try:
                right = now[0] == "returns" and bool(slow._TASK.is_solution(*copy.deepcopy(call[0]), now[1]))
            except Exception as error:
                right = False
        else:
            right = same(outcome(old, call)[0], now)
        if not right:
            found["differ"] += 1
            found["first"] = found["first"] or "call %d: %s" % (found["number"] - 1, repr(now)[:200])
sys.stdout.flush()
os.write(1, ("\\n" + asked["mark"] + json.dumps(found) + "\\n").encode("utf-8", "backslashreplace"))
os._exit(0)
"""


@dataclass(frozen=True)
class Ran:
    """Answers of a draft to all calls of its task, counted."""

    number: int
    differ: int
    """Number of calls that it answers otherwise, or not rightly."""
    changes: int
    """Number of calls of which it leaves an argument changed."""
    first: str
    """First of those calls that differ, or why the draft cannot be loaded."""
    loads: bool = True


@dataclass(frozen=True)
class Runner:
    """Runs drafts of functions in the sandbox."""

    python: str | None
    seconds: float = 60.0
    sandbox: str = "bubblewrap"

    def run(self, files: Mapping[str, str], name: str, *, accepts: bool = False) -> Ran | Truth:
        """Run the draft on all calls; the truth is unknown where it does not end.

        files: slow.py, draft.py and calls.py. accepts: `is_solution` of the task decides.
        """
        asked = {"files": dict(files), "name": name, "accepts": accepts, "mark": MARK}
        limits = RunLimits(seconds=self.seconds, memory_mib=2048)
        with open_sandbox(self.sandbox, limits=limits, options=Options(python=self.python)) as sandbox:
            run = sandbox.run(PROGRAM, json.dumps(asked).encode(), mode="exec")
        lines = [line for line in run.stdout.decode("utf-8", "replace").splitlines() if line.startswith(MARK)]
        if not lines:
            said = run.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            return Truth(UNKNOWN, run.stop_detail or said or f"exit status {run.exit}")
        found: dict[str, Any] = json.loads(lines[-1].removeprefix(MARK))
        return Ran(**found)


def files(folder: Path, right: str, draft: str, calls: str = "") -> dict[str, str]:
    """Files of a task, with the text that is taken as right and a draft's."""
    given = calls or (folder / "calls.py").read_text("utf-8")
    return {"slow.py": right, "calls.py": given, "draft.py": draft}
