"""Hot functions of a project that a model is shown with lines missing.

    python -m benchmarks.holes [PROJECT ... | REQUEST.json ROOT]

Of all or some of the projects of the golden prompts, or of one request (a body of `/chat/completions`) about the
project in ROOT. A function is hot from an own share of 3 % of the command; docstrings and blank lines do not count.
Exit status 1 where one has a hole.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from codeopt.analysis.nodes import first_line, functions
from codeopt.workloads.project.project_program import unpack
from tests.support.prompts import HOME, PROJECTS, record_prompts

HOT = 3.0
"""Own share, percent."""
FILE = re.compile(r"(?m)^# === file: (.*) ===$")
GAP = re.compile(r"# --- line (\d+) ---")
ROW = re.compile(r"(?m)^ *([\d.]+)% +[\d.]+% .*?(\S+\.py)::([\w.]+)")


def shown_lines(prompt: str) -> dict[str, set[int]]:
    """Numbers of the lines of each file in the original, as the prompt shows it."""
    found: dict[str, set[int]] = {}
    for path, text in zip(*[iter(FILE.split(prompt.partition("\n```\n")[0])[1:])] * 2, strict=True):
        number, lines = 1, found.setdefault(path, set())
        for line in text.removeprefix("\n").split("\n"):
            if gap := GAP.fullmatch(line):
                number = int(gap[1])
            else:
                lines.add(number)
                number += 1
    return found


def holes(prompt: str, read: Callable[[str], str]) -> Iterator[tuple[str, int]]:
    """The name of each hot function, with the number of its lines that are missing."""
    shown = shown_lines(prompt)
    for share, path, name in ROW.findall(prompt):
        text = read(path)
        nodes = {qualname: node for qualname, node in functions(ast.parse(text).body)}
        if float(share) < HOT or name not in nodes:
            continue
        node = nodes[name]
        skipped: set[int] = set()
        if ast.get_docstring(node):
            skipped = {*range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)}
        lines = {at for at, line in enumerate(text.split("\n"), 1) if line.strip()} - skipped
        wanted = lines & {*range(first_line(node), (node.end_lineno or 0) + 1)}
        yield f"{path}::{name}", len(wanted - shown.get(path, set()))


def main(arguments: list[str]) -> int:
    """The command line."""
    rows: list[tuple[str, int]] = []
    if arguments and arguments[0].endswith(".json"):
        prompt = json.loads(Path(arguments[0]).read_text("utf-8"))["messages"][-1]["content"]
        rows += holes(prompt, lambda path: (Path(arguments[1]) / path).read_text("utf-8"))
    else:
        for name in arguments or PROJECTS:
            files = unpack((HOME / "projects" / f"{name}.txt").read_text("utf-8"))
            rows += holes(record_prompts(name).drafts[0][-1].content, files.__getitem__)
    for name, missing in rows:
        print(f"{name}: {missing} lines missing")
    count = sum(missing > 0 for _, missing in rows)
    print(f"{count} of {len(rows)} hot functions have holes")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
