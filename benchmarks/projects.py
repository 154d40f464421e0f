"""`codeopt improve --run` on packages in which one place was made slow as people do it: is it found, and undone?

    python -m benchmarks.projects [NAME ...] [--sdists DIR] [--short]

A source distribution is unpacked and put under git, with a script that works with the package; one place of it is
replaced by a slower equal. Then the built-in rules try, and then a model that is scripted: a plausible wrong remedy
first, then what the package's authors wrote. Needs the network (pip download), or DIR with what
`pip download --no-binary :all: --no-deps -d DIR NAME` has put there. `ok` says that the place is among the first three
of the profile's targets, the wrong remedy is rejected, at least 0.9 of the slow-down is undone, and the package's own
tests end as before.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import harmonic_mean
from typing import Any

from benchmarks.packages_own_tests import Package, download, git, unpack
from tests.support.wire_server import WireServer

BENCH = "bench_codeopt.py"
UNDONE = 0.9


@dataclass(frozen=True)
class Project:
    """A package, a script that works with it, and a place in it."""

    name: str
    tests: str
    script: str
    file: str
    qualname: str
    fast: str
    """As its authors wrote it; stands in the file once."""
    slow: str
    wrong: str
    """In place of the fast one: plausible, and not the same."""


PROJECTS = (
    Project(
        "jmespath", "tests", '''\
import jmespath

rows = {"people": [{"name": f"n{k}", "Name": f"N{k}", "age": k % 90} for k in range(20)]}
found = 0
for k in range(600):
    for text in ("people[?age > `10`].name | [0]", "people[?age > `10`].Name | [0]", "length(people[*].age)"):
        found += len(str(jmespath.search(text, rows)).replace("N", "xx"))
print(found)
''',
        "jmespath/parser.py", "Parser.parse",
        "            return self._CACHE[expression]\n", "            del self._CACHE[expression]\n",
        "            return self._CACHE[expression.lower()]\n",
    ),
    Project(
        "cssselect", "tests", '''\
from cssselect import HTMLTranslator

texts = [f"div#id{k} > ul.-c{k} li:nth-child(2n+{k % 7}) a[href^='x{k}']" for k in range(250)]
made = [HTMLTranslator().css_to_xpath(text) for text in texts]
print(sum(map(len, made)), made[7])
''',
        "cssselect/parser.py", "tokenize",
        "        match = _match_ident(s, pos=pos)\n",
        '        match = _compile("-?(?:%(nmstart)s)(?:%(nmchar)s)*")(s, pos=pos)\n',
        '        match = _match_string_by_quote["\'"](s, pos=pos)\n',
    ),
    Project(
        "anytree", "tests", '''\
from anytree import Node, RenderTree

root = Node("root")
root.children = [Node(f"n{k}") for k in range(3500)]
for k, node in enumerate(root.children[:30]):
    node.children = [Node(f"m{j}") for j in range(k)]
print(len(list(RenderTree(root))), root.height, root.size)
''',
        "src/anytree/node/nodemixin.py", "NodeMixin.__check_children",
        "        seen = set()\n        for child in children:\n",
        "        seen = []\n        for child in children:\n",
        "        seen = set(children)\n        for child in children:\n",
    ),
)  # fmt: skip


def slowed(project: Project, text: str) -> str:
    """The file with its place made slow; what the slow one needs beside the line goes with it."""
    assert text.count(project.fast) == 1, f"{project.name}: {project.file} is another version"
    new = text.replace(project.fast, project.slow)
    return new.replace("seen.add(childid)", "seen.append(childid)") if project.name == "anytree" else new


def answer(summary: str, project: Project, was: str, new: str) -> str:
    """Search and replace blocks that turn one text of the file into another, as a model writes them."""
    old_lines, new_lines = was.splitlines(keepends=True), new.splitlines(keepends=True)
    blocks = [
        f"<<<<<<< SEARCH\n{old}=======\n{fresh}>>>>>>> REPLACE\n"
        for old, fresh in _changes(old_lines, new_lines)
    ]  # fmt: skip
    return f"SUMMARY: {summary}\n```python\n# === file: {project.file} ===\n{''.join(blocks)}```\n"


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Changed lines with those around them."""
    import difflib

    groups = difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3)
    for group in groups:
        yield "".join(old[group[0][1] : group[-1][2]]), "".join(new[group[0][3] : group[-1][4]])


def cpu_seconds(root: Path) -> float:
    """Of the script, the least of some runs."""
    took = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, BENCH], cwd=root, env=_environment(root), check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def _environment(root: Path) -> dict[str, str]:
    home = str(Path(__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root), home]), "OPENAI_API_KEY": "none"}


def suite(root: Path, tests: str) -> str:
    """How many of the package's tests pass and fail."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", tests]
    done = subprocess.run(command, cwd=root, env=_environment(root), capture_output=True, text=True)
    return done.stdout.strip().rpartition("\n")[2].partition(" in ")[0]


def improve(root: Path, *flags: str) -> dict[str, Any]:
    """What `codeopt improve --run --json` prints; its words on standard error where it prints nothing."""
    command = [sys.executable, "-m", "codeopt", "improve", "--run", f"python {BENCH}", "--sandbox", "bubblewrap"]
    done = subprocess.run(
        [*command, "--json", "-q", *flags], cwd=root, env=_environment(root), capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout) if done.stdout.strip() else {}
    return found or {"accepted": False, "reason": done.stderr.strip(), "rounds": []}


def one(root: Path, project: Project, flags: Sequence[str]) -> tuple[str, float]:
    """A few lines, and our speedup over that of the authors' own version."""
    (root / BENCH).write_text(project.script)
    for words in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-qm", "as it came")):
        git(root, *words)
    before, fast_s = suite(root, project.tests), cpu_seconds(root)
    path = root / project.file
    fast = path.read_text()
    slow = slowed(project, fast)
    path.write_text(slow)
    git(root, "commit", "-qam", "slow")
    undone = cpu_seconds(root) / fast_s
    wrong = fast.replace(project.fast, project.wrong)
    told = ["It is slow.\nVERDICT: IMPROVE", answer("another way", project, slow, wrong),
            "It was wrong.\nVERDICT: IMPROVE", answer("as it should be", project, slow, fast)]  # fmt: skip
    rules = improve(root, "--model", "rules", *flags)
    started = time.monotonic()
    with WireServer([*told, "Good.\nVERDICT: DONE"]) as server:
        model = improve(root, "--base-url", server.base_url, "--model", server.model, "--model-only", "--write", *flags)
    took = time.monotonic() - started
    after = suite(root, project.tests)
    verdicts = [str(each["verdict"]) for each in model["rounds"]]
    ratio = (model.get("speedup") or {}).get("ratio") or 1.0
    ranked = [f"{f['file']}::{f['qualname']}" for f in model.get("profile", {}).get("targets", [])]
    place = f"{project.file}::{project.qualname}"
    rank = ranked.index(place) + 1 if place in ranked else 0
    good = (
        model["accepted"]
        and 1 <= rank <= 3
        and after == before
        and ratio >= UNDONE * undone
        and verdicts[0] != "faster"
    )
    return (
        f"{'ok ' if good else 'BAD'} {project.name:<12} place ranked {rank or '-'}   undone {undone:.2f}x, "
        f"found {ratio:.2f}x   rounds: {', '.join(verdicts)}   {took:.0f} s\n"
        f"      tests: {after} (before: {before})\n      rules: "
        + (f"{rules['speedup']['ratio']:.2f}x" if rules["accepted"] else str(rules["reason"]))
        + ("" if model["accepted"] else f"\n      model: {model['reason']}")
    ), ratio / undone


def main(names: Sequence[str], sdists: Path | None, flags: Sequence[str]) -> None:
    """A few lines a project, and the harmonic mean of our speedup over the authors'."""
    shares = []
    for project in PROJECTS:
        if names and project.name not in names:
            continue
        package = Package(project.name, project.tests, ())
        with tempfile.TemporaryDirectory() as folder:
            if sdists is None:
                download(package, Path(folder))
            root = unpack(package, sdists or Path(folder), Path(folder))
            line, share = one(root, project, flags)
            shares.append(share)
            print(line, flush=True)
    if not shares:
        raise SystemExit(f"name some of {', '.join(project.name for project in PROJECTS)}")
    print(f"harmonic mean of our speedup over the authors': {harmonic_mean(shares):.2f} of {len(shares)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sdists", type=Path)
    parser.add_argument("--short", action="store_true", help="few pairs, to see that it runs")
    arguments = parser.parse_args()
    main(arguments.names, arguments.sdists, ("--max-pairs", "7") if arguments.short else ())
