"""`codeopt improve --run` on packages in which one place was made slow as people do it: is it found, and undone?

    python -m benchmarks.speedups.projects [NAME ...] [--sdists DIR] [--short]

A source distribution is unpacked and put under git, with a script that works with the package; one place of it is
replaced by a slower equal. Then the built-in rules try, and then a model that is scripted: a plausible wrong remedy
first, then what the package's authors wrote. Needs the network (pip download), or DIR with what
`pip download --no-binary :all: --no-deps -d DIR NAME` has put there. `ok` says that the place is among the first three
of the profile's targets, the wrong remedy is rejected, at least 0.9 of the slow-down is undone, and tests of the
package's own pass, as many as before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from statistics import harmonic_mean
from typing import Any

from benchmarks import commit_all, cpu_of_children, extract, git, not_run
from benchmarks.speedups.slowed import Slowed, all_slowed
from tests.support.wire_server import WireServer

BENCH = "bench_codeopt.py"
UNDONE = 0.9


def download(package: str, folder: Path) -> None:
    """The package's newest source distribution."""
    where = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package, "-d", str(folder))
    if subprocess.run([*where, package], check=False).returncode:
        not_run(f"pip cannot download the source distribution of {package}")


def unpack(package: str, sdists: Path, folder: Path) -> Path:
    """A package's source distribution, unpacked."""
    archive = next(sdists.glob(f"{package.replace('-', '_')}-*.tar.gz"), None)
    if archive is None:
        not_run(f"no source distribution of {package} in {sdists}")
    extract(archive, folder)
    return folder / archive.name.removesuffix(".tar.gz")


def answer(summary: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Search and replace blocks that turn the texts of some files into others, as a model writes them."""
    parts = "".join(f"# === file: {path} ===\n{_blocks(before[path], after[path])}" for path in before)
    return f"SUMMARY: {summary}\n```python\n{parts}```\n"


def _blocks(was: str, new: str) -> str:
    sizes = (list(_changes(was, new, around)) for around in range(3, 30))
    pairs = next(pairs for pairs in sizes if all(was.count(old) == 1 for old, _ in pairs))
    return "".join(f"<<<<<<< SEARCH\n{old}=======\n{fresh}>>>>>>> REPLACE\n" for old, fresh in pairs)


def _changes(was: str, new: str, around: int) -> Iterable[tuple[str, str]]:
    """Changed lines with so many around them."""
    old_lines, new_lines = was.splitlines(keepends=True), new.splitlines(keepends=True)
    for group in SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_grouped_opcodes(around):
        yield "".join(old_lines[group[0][1] : group[-1][2]]), "".join(new_lines[group[0][3] : group[-1][4]])


def cpu_seconds(root: Path, script: str = BENCH, python: str = sys.executable, runs: int = 5) -> float:
    """CPU seconds of a script of the package, the least of some runs."""
    took = []
    for _ in range(runs):
        before = cpu_of_children()
        subprocess.run([python, script], cwd=root, env=_environment(root), check=True, capture_output=True)
        took.append(cpu_of_children() - before)
    return min(took)


def _environment(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])}


def suite(root: Path, tests: str) -> str:
    """Return the numbers of the package's tests that pass and that fail."""
    flags = ("-q", "-p", "no:cacheprovider", "-o", "addopts=", "--continue-on-collection-errors")
    command = [sys.executable, "-m", "pytest", *flags, tests]
    done = subprocess.run(command, cwd=root, env=_environment(root), capture_output=True, text=True)
    return done.stdout.strip().rpartition("\n")[2].partition(" in ")[0]


def improve(root: Path, *flags: str, script: str = BENCH) -> dict[str, Any]:
    """What `codeopt improve --run --json` prints; its words on standard error where it prints nothing."""
    command = [sys.executable, "-m", "codeopt", "improve", "--run", f"python {script}", "--sandbox", "bubblewrap"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OPENAI_API_KEY": "none"}
    done = subprocess.run([*command, "--json", "-q", *flags], cwd=root, env=env, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout) if done.stdout.strip() else {}
    return {"accepted": False, "reason": done.stderr.strip(), "rounds": [], **found}


@dataclass(frozen=True)
class Row:
    """Results of one package."""

    project: Slowed
    undone: float
    """How many times as long the script takes at the slow place."""
    tests: tuple[str, str]
    """Results of the tests of the released package, and after the patch."""
    rules: dict[str, Any]
    model: dict[str, Any]
    """Object that `improve --json` printed."""
    seconds: float
    """Wall time with the model, seconds."""

    @property
    def ratio(self) -> float:
        """Return the speedup of the patch."""
        return float((self.model.get("speedup") or {}).get("ratio") or 1.0)

    @property
    def share(self) -> float:
        """Return the found share of the authors' speed-up."""
        return self.ratio / self.undone

    @property
    def rank(self) -> int:
        """Return the rank of the place among the profile's targets. 0 if it is missing."""
        ranked = [(f["file"], f["qualname"]) for f in self.model.get("profile", {}).get("targets", [])]
        place = (self.project.file, self.project.qualname)
        return ranked.index(place) + 1 if place in ranked else 0

    @property
    def overhead(self) -> float:
        """Share of the clock in which neither the command nor the tests ran. The scripted model takes none."""
        return 1 - sum(self.model.get("sandbox_seconds", {}).values()) / self.seconds

    @property
    def good(self) -> bool:
        """Return whether all requirements are met."""
        rounds = self.model["rounds"]
        same = self.tests[0] == self.tests[1] and "passed" in self.tests[0]
        rejected = bool(rounds) and rounds[0]["verdict"] != "faster"
        return self.model["accepted"] and 1 <= self.rank <= 3 and same and rejected and self.share >= UNDONE

    def __str__(self) -> str:
        verdicts = ", ".join(str(each["verdict"]) for each in self.model["rounds"])
        rules = f"{self.rules['speedup']['ratio']:.2f}x" if self.rules["accepted"] else str(self.rules["reason"])
        return (
            f"{'ok ' if self.good else 'BAD'} {self.project.name:<11} {self.project.kind:<30} "
            f"place {self.rank or '-'}   undone {self.undone:.2f}x, found {self.ratio:.2f}x   rounds: {verdicts}   "
            f"{self.seconds:.0f} s, {self.overhead:.0%} of it overhead\n"
            f"      tests: {self.tests[1]} (before: {self.tests[0]})   rules: {rules}"
            + ("" if self.model["accepted"] else f"\n      model: {self.model['reason']}")
        )


def one(root: Path, project: Slowed, flags: Sequence[str]) -> Row:
    """Make it slow, and have it improved."""
    (root / BENCH).write_text(project.script)
    commit_all(root, "as it came")
    before, fast_s = suite(root, project.tests), cpu_seconds(root)
    path = root / project.file
    fast = path.read_text()
    slow = project.slowed(fast)
    path.write_text(slow)
    git(root, "commit", "-qam", "slow")
    undone = cpu_seconds(root) / fast_s
    was, wrong, right = ({project.file: text} for text in (slow, project.mistaken(fast), fast))
    told = ["It is slow.\nVERDICT: IMPROVE", answer("another way", was, wrong),
            "It was wrong.\nVERDICT: IMPROVE", answer("as it should be", was, right)]  # fmt: skip
    rules = improve(root, "--model", "rules", *flags)
    started = time.monotonic()
    with WireServer([*told, "Good.\nVERDICT: DONE"]) as server:
        model = improve(root, "--base-url", server.base_url, "--model", server.model, "--write", *flags)
    took = time.monotonic() - started
    return Row(project, undone, (before, suite(root, project.tests)), rules, model, took)


def main(names: Sequence[str], sdists: Path | None, flags: Sequence[str]) -> None:
    """Two lines a project, and the harmonic mean of our speedup over the authors'."""
    rows = []
    for project in all_slowed():
        if names and project.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            if sdists is None:
                download(project.name, Path(folder))
            rows.append(one(unpack(project.name, sdists or Path(folder), Path(folder)), project, flags))
            print(rows[-1], flush=True)
    if not rows:
        raise SystemExit(f"name some of {', '.join(project.name for project in all_slowed())}")
    overhead = sum(row.overhead * row.seconds for row in rows) / sum(row.seconds for row in rows)
    print(
        f"{sum(row.good for row in rows)} of {len(rows)} ok; harmonic mean of our speedup over the authors': "
        f"{harmonic_mean([row.share for row in rows]):.2f}; "
        f"neither command, tests nor model: {overhead:.0%} of the time"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sdists", type=Path)
    parser.add_argument("--short", action="store_true", help="few pairs, to see that it runs")
    arguments = parser.parse_args()
    main(arguments.names, arguments.sdists, ("--max-pairs", "7") if arguments.short else ())
