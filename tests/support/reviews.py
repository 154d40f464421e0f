"""Reviews made by hand, and the lines of their change."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from codeopt.core.cache import Machine
from codeopt.core.evidence import CallEvidence, WorkloadEvidence
from codeopt.core.words import Speedup
from codeopt.report.verdict import Verdict
from codeopt.review.suggestion import Review, Suggestion
from codeopt_sandbox.compare import Decision

HEAD = "a" * 40
SPEEDUP = Speedup(4.2, 3.9, 4.5, 21, method="m")
EVIDENCE = WorkloadEvidence(CallEvidence(42, {"tests": 12, "generated": 30}, 1.0, {}, 3))
FASTER = Verdict(Decision.FASTER, speedup=SPEEDUP, evidence=EVIDENCE)
MACHINE = Machine("Test CPU", 2, "Linux 6", "CPython 3.11.7")

Files = Mapping[str, tuple[str, str]]
"""path -> (before the change, after it)"""


def suggestion(path: str, original: str, improved: str, function: str = "", **other: Any) -> Suggestion:
    """With figures that are good enough for any test of how they are shown."""
    of_verdict = {name: other.pop(name) for name in ("speedup", "evidence", "caveats", "by_size") if name in other}
    verdict = replace(FASTER, **of_verdict)
    return Suggestion(path, function, original, improved, **{"task": "runtime", "verdict": verdict, **other})


def review(files: Files, *suggestions: Suggestion, **other: Any) -> Review:
    """Of a change of these files."""
    values: dict[str, Any] = {"head": HEAD, "machine": MACHINE, **other}
    diff = "".join(file_diff(path, before, after) for path, (before, after) in files.items())
    return Review(base="b" * 40, diff=diff, suggestions=suggestions, **values)


def file_diff(path: str, before: str, after: str) -> str:
    """As `git diff` writes it, for a usual name."""
    old, new = _rows(before), _rows(after)
    lines = [f"diff --git a/{path} b/{path}", f"--- {f'a/{path}' if before else '/dev/null'}", f"+++ b/{path}"]
    for ops, start, end in _hunks(before, after):
        lines += _hunk(old, new, start, end, ops)
    return "".join(f"{line}\n" for line in lines)


def _hunk(old: list[str], new: list[str], start: tuple[int, int], end: tuple[int, int], ops: Any) -> list[str]:
    sizes = (end[0] - start[0], end[1] - start[1])
    head = f"@@ -{start[0] + bool(sizes[0])},{sizes[0]} +{start[1] + bool(sizes[1])},{sizes[1]} @@ def somewhere():"
    lines = [head]
    for kind, a, b, c, d in ops:
        if kind == "equal":
            lines += [f" {line}" for line in old[a:b]]
        else:
            lines += [f"-{line}" for line in old[a:b]] + [f"+{line}" for line in new[c:d]]
    return lines


def _hunks(before: str, after: str) -> list[tuple[Any, tuple[int, int], tuple[int, int]]]:
    """Groups of opcodes with three lines around them, and where they start and end in both files."""
    matcher = difflib.SequenceMatcher(None, _rows(before), _rows(after), autojunk=False)
    groups = [group for group in matcher.get_grouped_opcodes(3) if group]
    return [(group, (group[0][1], group[0][3]), (group[-1][2], group[-1][4])) for group in groups]


def _rows(text: str) -> list[str]:
    rows = text.split("\n")
    return rows if rows[-1] else rows[:-1]


def shown(files: Files) -> dict[str, list[range]]:
    """Lines of the new files that a platform shows, a range a hunk; not by the code under test."""
    return {
        path: [range(start[1] + 1, end[1] + 1) for _, start, end in _hunks(before, after)]
        for path, (before, after) in files.items()
    }


def accepted(text: str, diagnostic: Mapping[str, Any]) -> str:
    """The file after a click on `Commit suggestion` in a comment that reviewdog made of a diagnostic: whole lines."""
    (offered,) = diagnostic["suggestions"]
    lines = text.split("\n")
    lines[offered["range"]["start"]["line"] - 1 : offered["range"]["end"]["line"]] = offered["text"].split("\n")
    return "\n".join(lines)


SLOW = '''\
def a(xs):
    """`a`"""
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out
'''
FAST = 'def a(xs):\n    """`a`"""\n    return list(dict.fromkeys(xs))\n'
SUM = "def b(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
CLOSED = "def b(n):\n    return n * (n - 1) // 2\n"
REST = "".join(f"X{n} = {n}\n" for n in range(30))

OLD = f"import os\n{REST}\n\n{SLOW.replace('xs', 'items')}\n\n{REST}\n\ndef b(n):\n    return None\n"
NEW = f"import os\n{REST}\n\n{SLOW}\n\n{REST}\n\n{SUM}"
FILES: Files = {"pkg/m.py": (OLD, NEW), "pkg/new.py": ("", SLOW + "\n\n" + SUM)}
ONE_HUNK = suggestion("pkg/m.py", NEW, NEW.replace(SUM, CLOSED), "b")
IN_NEW = suggestion("pkg/new.py", FILES["pkg/new.py"][1], FAST + "\n\n" + SUM, "a", changes=("a dict keeps order",))
OUTSIDE = suggestion("pkg/m.py", NEW, NEW.replace("import os\n", "import os\nimport re\n").replace(SLOW, FAST), "a")
