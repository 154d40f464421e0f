"""Truth about a draft: it is run in the sandbox on all calls of its task, without the judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.errors.arenas import UNKNOWN, Truth
from codeopt_sandbox import RunLimits, open_sandbox
from codeopt_sandbox.host import Options

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
