"""Share of one-line faults that the quick tests see. Faults are drawn by chance, so that no test is written for one.

    python -m benchmarks.faults [--seed N] [--count 60] [--seconds 40] [--jobs 2] [--results FILE]

A draw chooses a file by its lines of code, then a kind of fault that has a place in it, then a place. The fault goes
into a copy of the tree, and the tests that mirror or import the file run there: that of its name, then those that start
no program, then the others. `seen`: one fails that passes without it. `survived`: all pass that the time is enough for.
`not decided`: none ended, or what fails also fails without the fault. Prints a row for each package, and with --results
each fault as a line of JSON. Without --seed each run draws other faults. The seconds are the processor's: a busy
machine finds the same.
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
from copy import copy
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import pytest

from benchmarks import keep_line

ROOT = Path(__file__).parents[1]
PRODUCT = ("codeopt", "sandbox/codeopt_sandbox")
LEFT_OUT = shutil.ignore_patterns(".git", "venv", ".venv", "__pycache__", ".*_cache", ".hypothesis", ".codeopt", "site")
"""Names that no test needs."""
Answer = Literal["seen", "survived", "not decided"]
FIRST_FILES = 4
"""Test files that run first, together; then twice as many, and so on: to collect a hundred takes longer than the
seconds that a fault has."""
BUSY = 20
"""Factor by which the clock may run longer than the processor, on a machine that others use or in tests that wait. It
is large, as two processors that ten processes use give each a fifth; a test that hangs has pytest's own limit."""
LOOKS_AT = re.compile(r"^# looks (first )?at (.+)$", re.MULTILINE)
"""Comment of a test file that goes through a door: the folders and files that it holds, parted by commas. `first`: it
sees much in little time, so it comes before others that start programs."""
STARTS = re.compile(
    r"subprocess|tests\.codeopt\.command|open_or_skip|require_sandbox|support\.judges|workloads\.conftest"
)
"""What the text of a test file has that starts programs or sandboxes."""


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

    def put_into(self, text: bytes) -> bytes:
        """The file with the fault."""
        return text[: self.begin] + self.new.encode() + text[self.end :]


Edit = tuple[ast.AST, str]
"""A node, and the text that replaces it."""


def _conditions(node: ast.AST) -> Iterator[Edit]:
    """What keeps something out: an operand of `and` or `or`, the `if` of a comprehension, a branch."""
    if isinstance(node, ast.BoolOp):
        yield from (
            (node, f"({ast.unparse(ast.BoolOp(node.op, some))})") for some in (node.values[:-1], node.values[1:])
        )
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
        other = ast.Compare(node.left, [_OTHER[type(node.ops[0])]()], node.comparators)
        yield node, f"({ast.unparse(other)})"


def _constants(node: ast.AST) -> Iterator[Edit]:
    """A number that is another one, a switch that is turned."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield node, f"({node.value * 2 + 1})"


NO_FAULTS = {("check", "False"), ("strict", "True"), ("encoding", "'utf-8'")}
"""Arguments without which a right program does the same: what is the default, here or on Linux, and the length check of
`zip`."""


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
        plain = ast.unparse(node.args[0])
        yield from ((node, f"list({plain})") for _ in range(node.func.id in ("sorted", "reversed")))
        yield from ((node, f"({plain})") for _ in range(node.func.id in ("min", "max") and len(node.args) > 1))
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load):
        yield node, ast.unparse(node.value)
    elif isinstance(node, ast.Set | ast.Tuple | ast.List) and len(node.elts) > 1 and not _is_stored(node):
        shorter = copy(node)
        shorter.elts = node.elts[:-1]
        yield node, ast.unparse(shorter)


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


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


def faults_of(root: Path, file: str) -> dict[str, list[Fault]]:
    """The faults that a file can have, by kind. Annotations and docstrings have none: no test could see one."""
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
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            words = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not words and not _checks_types(child):
                yield from _code(child)


def _checks_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _differs(before: bytes, after: bytes) -> bool:
    """Whether a change is still Python, and another program."""
    try:
        return ast.dump(ast.parse(before)) != ast.dump(ast.parse(after))
    except (SyntaxError, ValueError):
        return False


def draw(root: Path, count: int, chance: random.Random) -> list[Fault]:
    """Faults by chance: the file by its lines, then one of its kinds, then a place."""
    files = [str(path.relative_to(root)) for part in PRODUCT for path in sorted((root / part).rglob("*.py"))]
    sizes = [len((root / file).read_bytes().splitlines()) for file in files]
    found = list[Fault]()
    while len(found) < count:
        kinds = faults_of(root, chance.choices(files, sizes)[0])
        if kinds:
            fault = chance.choice(kinds[chance.choice(sorted(kinds))])
            text = (root / fault.file).read_bytes()
            found += [fault] if fault not in found and _differs(text, fault.put_into(text)) else []
    return found


def tests_of(root: Path, file: str) -> list[str]:
    """Test files of a module: that of its name, those that say that they look at it, those that import it, those of its
    folder. Behind that of its name come those that start no program, and those that see much, as the time is short."""
    module = file.removeprefix("sandbox/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package, _, name = module.rpartition(".")
    texts = _test_texts(root)
    mirrored = [path for path in texts if Path(path).stem in (f"test_{name.strip('_')}", f"test_{name}")]
    direct = [path for path, text in texts.items() if re.search(rf"\b{re.escape(module)}\b", text)]
    direct += [
        path for path, text in texts.items() if re.search(rf"from {re.escape(package)} import .*\b{name}\b", text)
    ]
    home = "tests/" + file.removeprefix("sandbox/codeopt_").replace("codeopt_sandbox", "sandbox")
    # The tests of a folder without tests of its own are in the one above.
    folders = ([path for path in texts if Path(path).is_relative_to(folder)] for folder in Path(home).parents)
    beside = sorted(next(filter(None, folders)), key=lambda path: name.strip("_") not in Path(path).stem)
    near = [path for path in mirrored if Path(path).parent.name == Path(file).parent.name]
    first, through = (
        [path for path, text in texts.items() if file.startswith(_looked_at(text, early))] for early in (True, False)
    )
    starting = {path for path, text in texts.items() if STARTS.search(text)}
    quick = [path for path in (*through, *direct, *mirrored) if path not in starting]
    beside.sort(key=starting.__contains__)
    # Other tests of a door take a minute where they start sandboxes.
    return list(dict.fromkeys([*near, *quick, *first, *direct, *mirrored, *through, *beside]))


def _looked_at(text: str, first: bool) -> tuple[str, ...]:
    found = LOOKS_AT.search(text)
    return tuple(found[2].split(", ")) if found and bool(found[1]) is first else ()


@cache
def _test_texts(root: Path) -> dict[str, str]:
    found = sorted((root / "tests").rglob("test_*.py"))
    return {str(path.relative_to(root)): path.read_text("utf-8") for path in found}


@dataclass(frozen=True)
class Tree:
    """A copy of the tree that has one fault at a time."""

    root: Path
    seconds: float
    red: list[str] = field(default_factory=list)
    """Tests that fail without a fault, too: they are left out, as they would hide those behind them."""

    def answer(self, fault: Fault) -> Answer:
        """What the tests say of a fault."""
        tests = tests_of(self.root, fault.file)
        path = self.root / fault.file
        text, written = path.read_bytes(), path.stat().st_mtime_ns
        left, passed = self.seconds, 0
        at, size = 0, FIRST_FILES
        while at < len(tests) and left > 0:
            try:
                path.write_bytes(fault.put_into(text))
                more, failed, took = self._run(tests[at : at + size], left)
            finally:
                path.write_bytes(text)
                os.utime(path, ns=(written, written))  # Its bytecode is that of this text again.
            passed, left = passed + more, left - took
            if failed:
                if not self._run(failed, self.seconds)[1]:
                    return "seen"
                self.red.extend(failed)
                continue
            at, size = at + size, size * 2
        return "survived" if passed or not tests else "not decided"

    def _run(self, tests: Sequence[str], seconds: float) -> tuple[int, list[str], float]:
        """Number of tests that passed; the test that failed, or the file that could not be imported; seconds."""
        if not (tests := [test for test in tests if test not in self.red]):
            return 0, [], 0.0
        # Bytecode of the fault would outlive it; what is printed has to be there when the time is over.
        env = {**_environment(self.root), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
        words = [*(f"--deselect={test}" for test in self.red), "-x", "-v", "--no-header", "--tb=no", "-rfE"]
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen([*PYTEST, *words, *tests], cwd=self.root, env=env, stdout=out, stderr=out)
            began, took = time.monotonic(), 0.0
            while process.poll() is None and took < seconds and time.monotonic() - began < BUSY * seconds:
                took = _processor_s(process.pid)
                time.sleep(0.1)
            process.kill()
            process.wait()
            out.seek(0)
            said = out.read().decode("utf-8", "replace")
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\S.*?)?)(?= - |$)", said, re.MULTILINE)
        if not failed and process.returncode == pytest.ExitCode.INTERRUPTED:  # by a KeyboardInterrupt of the fault's
            failed = re.findall(r"^(tests/\S+?\.py::.+?) *$", said, re.MULTILINE)[-1:]
        return len(re.findall(r" PASSED\b", said)), failed, took


def _processor_s(pid: int) -> float:
    """Seconds that a process and those that it waited for have computed."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "not full")


def _environment(root: Path) -> dict[str, str]:
    """That of a tree, which comes before an installed copy, in commands of tests too."""
    return {**os.environ, "PYTHONPATH": f"{root}:{root / 'sandbox'}"}


def copy_tree(to: Path) -> None:
    """Copy the tree, with the bytecode of all of it: to compile it takes three quarters of the time of a start."""
    shutil.copytree(ROOT, to, ignore=LEFT_OUT, symlinks=True)
    compile_product = (sys.executable, "-m", "compileall", "-q", *PRODUCT)
    for command in (compile_product, (*PYTEST, "--collect-only", "-q", "tests")):
        subprocess.run(command, cwd=to, env=_environment(to), stdout=subprocess.DEVNULL, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path)
    given = parser.parse_args()
    drawn = draw(ROOT, given.count, random.Random(given.seed))
    print(f"seed {given.seed}, {len(drawn)} faults")
    answers = Counter[tuple[str, Answer]]()
    with tempfile.TemporaryDirectory(prefix="faults-") as work, ThreadPoolExecutor(given.jobs) as pool:
        trees = queue.SimpleQueue[Tree]()
        copy_tree(Path(work, "0"))
        for number in range(given.jobs):
            if number:
                shutil.copytree(Path(work, "0"), Path(work, str(number)), symlinks=True)
            trees.put(Tree(Path(work, str(number)), given.seconds))

        def ask(fault: Fault) -> Answer:
            tree = trees.get()
            try:
                return tree.answer(fault)
            finally:
                trees.put(tree)

        for fault, answer in zip(drawn, pool.map(ask, drawn), strict=True):
            print(
                f"{answer:>11}  {fault.kind:9} {fault.file}:{fault.line}  {_short(fault.old)} -> {_short(fault.new)}",
                flush=True,
            )
            keep_line(given.results, {**asdict(fault), "answer": answer, "seed": given.seed})
            answers[package_of(fault.file), answer] += 1
    print_table(answers)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 50 else f"{words[:47]}..."


def package_of(file: str) -> str:
    """`codeopt/engine`, `sandbox/codeopt_sandbox/guest`."""
    parts = Path(file).parent.parts
    return "/".join(parts[: 3 if parts[0] == "sandbox" else 2])


def print_table(answers: Mapping[tuple[str, Answer], int]) -> None:
    """Shares by package; those that are not decided count neither way."""
    print(f"\n{'package':32} {'seen':>5} {'survived':>9} {'not decided':>12}")
    packages = sorted({package for package, _ in answers})
    for package in [*packages, "all"]:
        row = [
            sum(n for (name, answer), n in answers.items() if answer == each and package in (name, "all"))
            for each in ("seen", "survived", "not decided")
        ]
        decided = row[0] + row[1]
        print(f"{package:32} {row[0]:5} {row[1]:9} {row[2]:12}  {row[0] / decided if decided else 0:.0%}")


if __name__ == "__main__":
    main()
