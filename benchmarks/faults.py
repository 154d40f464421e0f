"""Share of one-line faults that the quick tests see. Faults are drawn by chance, so that no test is written for one.

    python -m benchmarks.faults [--seed N] [--count 60] [--seconds 40] [--jobs 2] [--results FILE]

A draw chooses a file by its lines, then a kind of fault that has a place in it, then a place. The fault goes into a
copy of the tree, and the tests of the file run there until one fails. `seen`: one fails that passes without the fault.
`survived`: all pass that the time is enough for. `not decided`: none ended. Prints each fault, then a row for each
package. With --results each fault is also a line of JSON. Without --seed each run draws other faults. The seconds are
CPU time: a busy machine finds the same.
"""

from __future__ import annotations

import argparse
import ast
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import pytest

from benchmarks import keep_line

ROOT = Path(__file__).parents[1]
PRODUCT = ("codeopt", "sandbox/codeopt_sandbox")
ANSWERS = SEEN, SURVIVED, NOT_DECIDED = ("seen", "survived", "not decided")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path)
    given = parser.parse_args()
    drawn = draw(ROOT, given.count, random.Random(given.seed))
    print(f"seed {given.seed}, {len(drawn)} faults", flush=True)
    found = Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory(prefix="faults-") as work, ThreadPoolExecutor(given.jobs) as pool:
        trees = queue.SimpleQueue[Tree]()
        for root in copies_of_tree(Path(work), given.jobs):
            trees.put(Tree(root, given.seconds))

        def ask(fault: Fault) -> str:
            tree = trees.get()
            try:
                return tree.answer(fault)
            finally:
                trees.put(tree)

        for fault, answer in zip(drawn, pool.map(ask, drawn), strict=True):
            print(f"{answer:>11}  {fault}", flush=True)
            keep_line(given.results, {**asdict(fault), "answer": answer, "seed": given.seed})
            found[fault.package, answer] += 1
    print_table(found)


def print_table(found: Mapping[tuple[str, str], int]) -> None:
    """Shares by package. Faults that are not decided count neither way."""
    print(f"\n{'package':32}" + "".join(f"{answer:>13}" for answer in ANSWERS))
    for package in [*sorted({package for package, _ in found}), "all"]:
        row = [sum(n for (name, each), n in found.items() if each == answer and package in (name, "all"))
               for answer in ANSWERS]  # fmt: skip
        share = f"{row[0] / (row[0] + row[1]):.0%}" if row[0] + row[1] else "-"
        print(f"{package:32}" + "".join(f"{n:13}" for n in row) + f"{share:>6}")


# What can be wrong.


@dataclass(frozen=True)
class Fault:
    """One changed place of a file."""

    file: str
    """Relative to the tree."""
    line: int
    kind: str
    old: str
    new: str
    begin: int
    """Bytes of the file before the place."""
    end: int

    @property
    def package(self) -> str:
        """`codeopt/engine`, `sandbox/codeopt_sandbox/guest`."""
        parts = Path(self.file).parent.parts
        return "/".join(parts[: 3 if parts[0] == "sandbox" else 2])

    def put_into(self, text: bytes) -> bytes:
        """The file with the fault."""
        return text[: self.begin] + self.new.encode() + text[self.end :]

    def __str__(self) -> str:
        old, new = (" ".join(text.split())[:90] for text in (self.old, self.new))
        return f"{self.kind:9} {self.file}:{self.line}  {old} -> {new}"


def draw(root: Path, count: int, chance: random.Random) -> list[Fault]:
    """Faults by chance: the file by its lines, then one of its kinds, then a place."""
    files = [str(path.relative_to(root)) for part in PRODUCT for path in sorted((root / part).rglob("*.py"))]
    sizes = [len((root / file).read_bytes().splitlines()) for file in files]
    found = list[Fault]()
    while len(found) < count:
        if kinds := faults_of(root, chance.choices(files, sizes)[0]):
            fault = chance.choice(kinds[chance.choice(sorted(kinds))])
            if fault not in found and _is_another_program((root / fault.file).read_bytes(), fault):
                found.append(fault)
    return found


def _is_another_program(text: bytes, fault: Fault) -> bool:
    with suppress(SyntaxError):
        return ast.dump(ast.parse(text)) != ast.dump(ast.parse(fault.put_into(text)))
    return False


def faults_of(root: Path, file: str) -> dict[str, list[Fault]]:
    """The faults that a file can have, by kind."""
    text = (root / file).read_bytes()
    lines = [0, *(match.end() for match in re.finditer(rb"\n", text))]
    found: dict[str, list[Fault]] = {}
    for node in _code(ast.parse(text)):
        for kind, edits in KINDS.items():
            for place, new in edits(node):
                begin = lines[place.lineno - 1] + place.col_offset
                end = lines[place.end_lineno - 1] + place.end_col_offset
                fault = Fault(file, place.lineno, kind, text[begin:end].decode(), new, begin, end)
                found.setdefault(kind, []).append(fault)
    return found


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What runs of a syntax tree. No test could see a fault in an annotation or a docstring."""
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            is_for_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            if isinstance(child, ast.AST) and not (name in ("annotation", "returns") or is_docstring or is_for_types):
                yield from _code(child)


Edit = tuple[ast.AST, str]
"""A node, and the text that replaces it."""


def _conditions(node: ast.AST) -> Iterator[Edit]:
    """What keeps something out: an operand of `and` or `or`, the `if` of a comprehension, a branch."""
    if isinstance(node, ast.BoolOp):
        for some in (node.values[:-1], node.values[1:]):
            yield node, f"({ast.unparse(ast.BoolOp(node.op, some))})"
    elif isinstance(node, ast.comprehension):
        yield from ((test, "True") for test in node.ifs)
    elif isinstance(node, ast.If | ast.IfExp):
        yield node.test, f"not ({ast.unparse(node.test)})"
        yield node.test, "False"


_OTHER: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def _boundaries(node: ast.AST) -> Iterator[Edit]:
    """A comparison that is right everywhere but at its limit, or the wrong way round."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield node, f"({ast.unparse(ast.Compare(node.left, [_OTHER[type(node.ops[0])]()], node.comparators))})"


def _constants(node: ast.AST) -> Iterator[Edit]:
    """A number that is another one, a switch that is turned."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield node, f"({node.value * 2 + 1})"


NO_FAULTS = {("check", "False"), ("strict", "True"), ("strict", "False"), ("encoding", "'utf-8'")}
"""Arguments without which a right program does the same: what is the default, here or on Linux, and the length check of
`zip`, which has none by default."""


def _arguments(node: ast.AST) -> Iterator[Edit]:
    """An argument that is not passed along."""
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg and (keyword.arg, ast.unparse(keyword.value)) not in NO_FAULTS:
                left = [each for each in node.keywords if each is not keyword]
                yield node, ast.unparse(ast.Call(node.func, node.args, left))


def _amounts(node: ast.AST) -> Iterator[Edit]:
    """Evidence in another order, less or more of it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        if node.func.id in ("sorted", "reversed"):
            yield node, f"list({ast.unparse(node.args[0])})"
        elif node.func.id in ("min", "max") and len(node.args) > 1:
            yield node, f"({ast.unparse(node.args[0])})"
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load):
        yield node, ast.unparse(node.value)
    elif isinstance(node, ast.Set | ast.Tuple | ast.List) and len(node.elts) > 1:
        is_assigned_to = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        if not is_assigned_to:
            yield node, ast.unparse(type(node)(elts=node.elts[:-1]))


def _results(node: ast.AST) -> Iterator[Edit]:
    """An answer that is left out, and a step that is not taken."""
    if isinstance(node, ast.Return) and node.value is not None:
        yield node.value, "None"
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Yield)
    ):
        yield node, "pass"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield node, f"({ast.unparse(ast.BinOp(node.left, other, node.right))})"


KINDS: Mapping[str, Callable[[ast.AST], Iterator[Edit]]] = {
    "condition": _conditions, "boundary": _boundaries, "constant": _constants, "argument": _arguments,
    "amount": _amounts, "result": _results,
}  # fmt: skip


# Which tests look.

LOOKS_AT = re.compile(r"^# looks at (.+)$", re.MULTILINE)
"""Comments of a test file that goes through a door: what the paths behind it begin with, parted by commas."""
STARTS = re.compile(
    r"subprocess|tests\.codeopt\.command|open_or_skip|require_sandbox|told_by|support\.judges|workloads\.conftest"
    r"|\b(sandbox|isolated|backend|compare|judges)\b: "
)
"""What the text of a test file has that starts programs or sandboxes, fixtures too: a file of these can take all of the
seconds."""
FEW_USERS = 12
"""Modules that import a module, up to which their tests are tests of it: more have as many tests as there is time for
in any case, and to look through them takes 12 s (`codeopt/core/errors.py`)."""


def tests_of(root: Path, file: str) -> list[str]:
    """Test files of a module: those of its name; those that say that they look at it, the longest path first, or import
    it; those of the name of a module that imports it, or that import that; then the others of its folder. Of each but
    the first, those that start no program come first: they see in a second what they see. The others of the folder come
    last, whatever they start: outside a sandbox, tests run 27 % of `guest`."""
    ranks, imports = dict(_ranks(root, file)), _imports(file)
    users = [user for user, text in _texts(root, PRODUCT).items() if imports.search(text)]
    for user in users if len(users) <= FEW_USERS else ():
        near = (path for path, rank in _ranks(root, user).items() if rank[0] in (0, 2))
        ranks |= {path: min(ranks.get(path, (4, 0)), (3, 0)) for path in near}
    texts = _texts(root, ("tests",))
    group = (0, 1, 1, 2, 3)
    return sorted(ranks, key=lambda path: (group[ranks[path][0]], bool(STARTS.search(texts[path])), ranks[path]))


@cache
def _imports(file: str) -> re.Pattern[str]:
    module = _module(file)
    package, _, name = module.rpartition(".")
    return re.compile(rf"\b{re.escape(module)}\b|from {re.escape(package)} import (\([^)]*|.*)\b{name}\b")


def _module(file: str) -> str:
    return file.removeprefix("sandbox/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _ranks(root: Path, file: str) -> dict[str, tuple[int, int]]:
    """Test files that look at a module or are in its folder."""
    texts, imports, name = _texts(root, ("tests",)), _imports(file), _module(file).rpartition(".")[2]
    home = Path("tests", file.removeprefix("sandbox/").replace("codeopt_sandbox", "sandbox")).parent
    # The tests of a folder without tests of its own are in the one above.
    folder = next(each for each in (home, *home.parents) if any(Path(path).is_relative_to(each) for path in texts))
    found = dict[str, tuple[int, int]]()
    for path, text in texts.items():
        of_its_name = Path(path).stem in (f"test_{name}", f"test_{name.strip('_')}", f"test_{name}_command")
        looks = [each for line in LOOKS_AT.findall(text) for each in line.split(", ")]
        places = [len(each) for each in looks if file.startswith(each)]
        if Path(path).is_relative_to(home / name) or (of_its_name and Path(path).is_relative_to(folder)):
            found[path] = 0, 0
        elif places:
            found[path] = 1, -max(places)
        elif imports.search(text):
            found[path] = 2, 0
        elif Path(path).is_relative_to(folder):
            found[path] = 4, 0
    return found


@cache
def _texts(root: Path, folders: tuple[str, ...]) -> dict[str, str]:
    """Texts of the product, or of the test files that are not left out of the quick tier whole."""
    pattern = "test_*.py" if folders == ("tests",) else "*.py"
    found = sorted(path for folder in folders for path in (root / folder).rglob(pattern))
    texts = {str(path.relative_to(root)): path.read_text("utf-8") for path in found}
    return {path: text for path, text in texts.items() if "\npytestmark = pytest.mark.full\n" not in text}


# What they say.

FIRST_FILES = 4
"""Test files that run first, together; then twice as many, and so on: to collect a hundred takes longer than the
seconds that a fault has."""
BUSY = 20
"""Factor by which the clock may run longer than the processor, on a machine that others use or in tests that wait. It
is large, as two processors that ten processes use give each a fifth; a test that hangs has pytest's own limit."""
PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "not full")


@dataclass(frozen=True)
class Tree:
    """A copy of the tree that has one fault at a time."""

    root: Path
    seconds: float
    red: list[str] = field(default_factory=list)
    """Tests that fail without a fault: they are left out, as they would hide those behind them."""

    def answer(self, fault: Fault) -> str:
        """What the tests say of a fault."""
        tests = tests_of(self.root, fault.file)
        path = self.root / fault.file
        text, written = path.read_bytes(), path.stat().st_mtime_ns
        left, passed, size = self.seconds, 0, FIRST_FILES
        while tests and left > 0:
            try:
                path.write_bytes(fault.put_into(text))
                more, failed, took = self._run(tests[:size], left)
            finally:
                path.write_bytes(text)
                os.utime(path, ns=(written, written))  # Its bytecode is that of this text again.
            passed, left = passed + more, left - took
            if not failed:
                tests, size = tests[size:], size * 2
            elif self._run(failed, self.seconds)[1]:
                self.red.extend(failed)
            else:
                return SEEN
        return SURVIVED if passed else NOT_DECIDED

    def _run(self, tests: Sequence[str], seconds: float) -> tuple[int, list[str], float]:
        """Number of tests that passed; the test that failed, or the file that could not be imported; CPU seconds."""
        if not (tests := [test for test in tests if test not in self.red]):
            return 0, [], 0.0
        # Bytecode of the fault would outlive it; what is printed has to be there when the time is over.
        env = {**_environment(self.root), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
        words = [*(f"--deselect={test}" for test in self.red), "-x", "-v", "--no-header", "--tb=no", "-rfE"]
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen([*PYTEST, *words, *tests], cwd=self.root, env=env, stdout=out, stderr=out)
            began, took = time.monotonic(), 0.0
            while process.poll() is None and took < seconds and time.monotonic() - began < BUSY * seconds:
                took = _cpu_s(process.pid)
                time.sleep(0.1)
            process.kill()
            process.wait()
            out.seek(0)
            said = out.read().decode("utf-8", "replace")
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\S.*?)?)(?= - |$)", said, re.MULTILINE)
        if not failed and process.returncode == pytest.ExitCode.INTERRUPTED:  # by a KeyboardInterrupt of the fault's
            failed = re.findall(r"^(tests/\S+?\.py::.+?) *$", said, re.MULTILINE)[-1:]
        return len(re.findall(r" PASSED\b", said)), failed, took


def _cpu_s(pid: int) -> float:
    """CPU seconds of a process and of those that it waited for."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _environment(root: Path) -> dict[str, str]:
    """That of a tree, which comes before an installed copy, in commands of tests too."""
    return {**os.environ, "PYTHONPATH": f"{root}:{root / 'sandbox'}"}


def copies_of_tree(work: Path, count: int) -> Iterator[Path]:
    """Copies with the bytecode of all files: to compile them takes three quarters of the time of a start."""
    no_test_needs = (".git", "venv", ".venv", "__pycache__", ".*_cache", ".hypothesis", ".codeopt", "site")
    first = work / "0"
    shutil.copytree(ROOT, first, ignore=shutil.ignore_patterns(*no_test_needs), symlinks=True)
    for command in ([sys.executable, "-m", "compileall", "-q", *PRODUCT], [*PYTEST, "--collect-only", "-q", "tests"]):
        subprocess.run(command, cwd=first, env=_environment(first), stdout=subprocess.DEVNULL, check=True)
    yield first
    for number in range(1, count):
        yield shutil.copytree(first, work / str(number), symlinks=True)


if __name__ == "__main__":
    main()
