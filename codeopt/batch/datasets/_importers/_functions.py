"""Functions of foreign sets: each becomes a folder that `codeopt batch` reads, if its original answers its calls."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codeopt.batch.datasets._importers import ImportDecision, RunProgram
from codeopt.batch.datasets.bundled import FUNCTION
from codeopt.batch.datasets.pie import not_python

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
