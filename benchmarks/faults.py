"""Share of one-line faults that the tests see: each of benchmarks/faults.toml is put into a copy of the tree and its
tests are run there.

    python -m benchmarks.faults [--only WORD ...] [--share 0.95] [--results FILE] [--check]

A fault is seen when one of its tests fails that passes without it. Tests that are skipped on this machine see nothing:
such a fault is not applicable, and counts neither way, as do those that are marked equivalent; one whose tests fail
without it counts as not seen. Ends with 1 where the share that is seen is below `--share`, and where an entry no longer
fits the tree. With --results each result is appended to a file as it comes, and what the file has of the same tree is
not run again: all faults take more than an hour, and a run that was stopped goes on. With --check nothing is run: every
old text occurs exactly once, every new one is Python, and every test is there.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fault_results import Answer, Result, Results, tree_digest

ROOT = Path(__file__).parents[1]
FAULTS = Path(__file__).with_suffix(".toml")
GOAL = 0.95
"""Share of the faults that are to be seen."""
MAX_SECONDS = 600
"""Longest run of one fault's tests, seconds: a fault that makes them hang is seen."""
LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis", ".codeopt", "*.egg-info", "site")
"""Names that no test needs and that are not copied. Environments are also left out."""


@dataclass(frozen=True)
class Fault:
    """One wrong line, and the tests that have to fail with it."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...] = ()
    equivalent: str = ""
    """Reason why no test can see it. Empty if a test has to."""

    def problem(self, root: Path) -> str:
        """Return the reason why it no longer fits a tree. Empty if it does."""
        text = (root / self.file).read_text("utf-8") if (root / self.file).exists() else ""
        if (count := text.count(self.old)) != 1:
            return f"its old text occurs {count} times in {self.file}"
        try:
            same = _meaning(self.file, text) == _meaning(self.file, self.put_in(text))
        except SyntaxError as error:
            return f"with its new text {self.file} is no Python: {error}"
        if same:
            return "its new text means the same as its old one"
        if bool(self.equivalent) == bool(self.tests):
            return "it has to name its tests, or say why it is equivalent"
        gone = [test for test in self.tests if not _is_there(root, test)]
        return f"there is no test {gone[0]}" if gone else ""

    @property
    def key(self) -> str:
        """Digest of all that it says."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def put_in(self, text: str) -> str:
        """A file's text with the fault in it."""
        return text.replace(self.old, self.new)


def _meaning(file: str, text: str) -> str:
    """A module without its layout and comments; any other file as it is. Raises SyntaxError."""
    return ast.dump(ast.parse(text)) if file.endswith(".py") else text


def _is_there(root: Path, test: str) -> bool:
    path, _, name = test.partition("::")
    function = re.escape(name.partition("[")[0])
    file = root / path
    return file.is_file() and (not name or bool(re.search(rf"^def {function}\(", file.read_text("utf-8"), re.M)))


def read_faults(path: Path = FAULTS) -> list[Fault]:
    """The faults of a list, in its order."""
    entries = tomllib.loads(path.read_text("utf-8"))["fault"]
    return [Fault(**{**entry, "tests": tuple(entry.get("tests", ()))}) for entry in entries]


@dataclass(frozen=True)
class Report:
    """Numbers of tests of one run of pytest."""

    ran: int
    failed: tuple[str, ...]
    why: str = ""
    """The end of its output, if there is no report."""


@dataclass(frozen=True)
class Tree:
    """A copy of the tree, which contains faults for a time."""

    root: Path

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """Put the fault into its file meanwhile."""
        file = self.root / fault.file
        text = file.read_text("utf-8")
        try:
            self._write(file, fault.put_in(text))
            yield
        finally:
            self._write(file, text)

    def _write(self, file: Path, text: str) -> None:
        """Write a file with a time of its own: Python recognises outdated compiled files by size and second."""
        later = int(file.stat().st_mtime) + 2
        file.write_text(text, "utf-8")
        os.utime(file, (later, later))

    def run(self, tests: Sequence[str], *options: str) -> Report:
        """Run tests in the copy."""
        found = self.root / "faults.xml"
        found.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-m", "", "-p", "no:cacheprovider", f"--junitxml={found}"]
        path = os.pathsep.join([str(self.root), str(self.root / "sandbox")])
        process = subprocess.Popen(
            [*command, *options, *tests], cwd=self.root, env={**os.environ, "PYTHONPATH": path}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=MAX_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return Report(1, ("they do not end",))
        return _read_report(found) if found.exists() else Report(0, (), "\n".join(said.splitlines()[-5:]))


def _read_report(path: Path) -> Report:
    cases = list(xml.parse(path).getroot().iter("testcase"))
    ran = [case for case in cases if case.find("skipped") is None]
    failed = (case for case in ran if case.find("failure") is not None or case.find("error") is not None)
    return Report(len(ran), tuple(str(case.get("name")) for case in failed))


@contextmanager
def copied_tree() -> Iterator[Tree]:
    """A copy of the working tree without environments and caches."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        environments = {name for name in names if Path(folder, name, "pyvenv.cfg").exists()}
        return environments | LEFT_OUT(folder, names)

    with tempfile.TemporaryDirectory(prefix="codeopt-faults-") as folder:
        shutil.copytree(ROOT, Path(folder, "tree"), ignore=left_out, symlinks=True)
        yield Tree(Path(folder, "tree"))


def examine(tree: Tree, fault: Fault, kept: Results) -> Result:
    """Return whether the tests of a fault see it. Tests without a known result run without the fault first."""
    started = time.monotonic()
    if unknown := sorted(set(fault.tests) - kept.passing):
        report = tree.run(unknown, "-x")
        if report.failed or report.why:
            return Result(Answer.FAILS_WITHOUT, time.monotonic() - started, ", ".join(report.failed) or report.why)
        kept.keep_passing(unknown)
        started = time.monotonic()
    with tree.with_fault(fault):
        report = tree.run(fault.tests, "-x")
    seen = Answer.SEEN if report.failed else Answer.SURVIVED if report.ran else Answer.NOT_APPLICABLE
    return Result(seen, time.monotonic() - started, ", ".join(report.failed) or report.why)


def run(tree: Tree, faults: Sequence[Fault], kept: Results) -> float:
    """Print what becomes of each; the share that is seen of those that can be."""
    found: Counter[Answer] = Counter()
    for fault in faults:
        result = kept.found.get(fault.key) or kept.keep(fault.key, fault.name, examine(tree, fault, kept))
        found[result.answer] += 1
        by = f"  ({result.by})" * (result.answer is Answer.FAILS_WITHOUT)
        print(f"{result.answer:15} {result.seconds:5.1f} s  {fault.name}{by}", flush=True)
    share = found[Answer.SEEN] / max(1, found.total() - found[Answer.NOT_APPLICABLE])
    print(f"{', '.join(f'{found[each]} {each}' for each in Answer)}: {share:.1%} seen")
    return share


def main() -> None:
    """Read the list, and run what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--only", nargs="+", metavar="WORD", default=[""], help="faults whose name has one of these")
    parser.add_argument("--share", type=float, default=GOAL, help="share seen below which it fails (%(default)s)")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keep each result here, and go on from it")
    parser.add_argument("--check", action="store_true", help="run nothing: does each entry still fit?")
    arguments = parser.parse_args()
    faults = [fault for fault in read_faults() if any(word in fault.name for word in arguments.only)]
    problems = [f"{fault.name}: {why}" for fault in faults if (why := fault.problem(ROOT))]
    print("".join(f"{problem}\n" for problem in problems), end="")
    able = [fault for fault in faults if not fault.equivalent]
    print(f"{len(able)} faults, and {len(faults) - len(able)} that are equivalent")
    if problems or not able:
        raise SystemExit(1)
    if not arguments.check:
        with copied_tree() as tree:
            kept = Results.read(arguments.results, tree_digest(tree.root))
            raise SystemExit(run(tree, able, kept) < arguments.share)


if __name__ == "__main__":
    main()
