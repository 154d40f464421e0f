"""Verdicts that differ between two outputs of the same benchmark, before and after a change.

    python -m benchmarks.verdict_diff BEFORE AFTER

Reads rows of JSON lines (`--results` of arena and false_rejections), and lines of text that begin with ok, BAD, look or
MISS, or with the name of a pair. Prints a line for each row whose verdict is another one, or that only one output has.
Exit status 1 where there is one. Ratios and times are not compared.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

MARKED = re.compile(r"(ok|BAD|look|MISS)\s+(\S+(?: / \S+|\s+(?:right|wrong)\b)?)(.*)")
VERDICT = re.compile(
    r"\b(faster|same|slower|wrong(?= +[\d.]+x)|not judged|not accepted|accepted|inconclusive|not fetched)\b"
)
PAIR = re.compile(r"(p\d{5})\s+\d+\s+\d+(.*)")


def verdicts(lines: Iterable[str]) -> dict[str, str]:
    """Verdict of each row, by its name."""
    found: dict[str, str] = {}
    for line in lines:
        if line.startswith("{"):
            row = json.loads(line)
            name = row.get("name") or f"{row['task']} / {row['draft']}"
            found[name] = f"{row.get('verdict', row.get('kind'))}{' with caveats' * bool(row.get('caveats'))}"
        elif marked := MARKED.match(line):
            said = VERDICT.search(marked[3])
            found[" ".join(marked[2].split())] = f"{marked[1]} {said[1] if said else ''}".strip()
        elif pair := PAIR.match(line):
            found[pair[1]] = "differs on an alike input" if "ALIKE" in pair[2] else "a caveat" * bool(pair[2].strip())
    return found


def flips(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str]]:
    """(name, verdict before, verdict after) of the rows that differ."""
    names = [*before, *(name for name in after if name not in before)]
    pairs = [(name, before.get(name, "no such row"), after.get(name, "no such row")) for name in names]
    return [row for row in pairs if row[1] != row[2]]


def main(paths: list[str]) -> int:
    """The command line."""
    if len(paths) != 2:
        raise SystemExit("usage: python -m benchmarks.verdict_diff BEFORE AFTER")
    before, after = (verdicts(Path(path).read_text("utf-8").splitlines()) for path in paths)
    found = flips(before, after)
    for name, was, now in found:
        print(f"{name}: {was or 'nothing'} -> {now or 'nothing'}")
    print(f"{len(found)} of {len(before | after)} rows differ")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
