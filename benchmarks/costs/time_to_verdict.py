"""Seconds from a command to its verdict, with the share of each step.

    python -m benchmarks.costs.time_to_verdict [--only NAME ...] [--repeats 3] [--backend bubblewrap] [--steps]

Each row is the median of some runs of the command itself, as a user starts it. Beside the seconds stand multiples of a
fixed loop of pure Python, timed just before each run: with them figures of two machines can be compared. CPU seconds
are those of the command and of all it started and waited for: guests of bubblewrap, not of a Docker engine. Steps are
the progress lines of `-v`, their numbers left out, and the seconds until the next one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import cpu_of_children

ROOT = Path(__file__).parents[2]
LOOP = 3_000_000
"""Steps of the fixed loop, the same as in .ci/pace.py."""
VERBOSE = ("compare", "improve", "check")
"""Commands that print each step."""
STEP = re.compile(r"\s*\d+:\d\d\s+")
"""Beginning of a progress line."""
LIMIT_S = 600.0
"""Time limit of one command, seconds."""

SLOW = """\
def f(xs: list[int]) -> list[int]:
    out = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out
"""
FAST = "def f(xs: list[int]) -> list[int]:\n    return list(dict.fromkeys(xs))\n"
WRONG = "def f(xs: list[int]) -> list[int]:\n    return sorted(set(xs))\n"
CALLS = "CALLS = [(([3, 1, 3],), {}), (([],), {}), (([5, 5, 5, 2],), {})]\nBIG = [((list(range(3000)),), {})]\n"
PROGRAM = "n = int(input())\ntotal = 0\nfor i in range(n):\n    total += i * i % 7\nprint(total)\n"
PROGRAM_IN_MAIN = "def main():\n" + "".join(f"    {line}\n" for line in PROGRAM.splitlines()) + "main()\n"
MODULE = """\
def totals(rows: list[int]) -> list[int]:
    \"\"\"
    >>> totals([1, 2, 3])
    [1, 3, 6]
    \"\"\"
    return [sum(rows[: at + 1]) for at in range(len(rows))]


def known(rows: list[int], wanted: list[int]) -> list[int]:
    \"\"\"
    >>> known([1, 2, 3], [2])
    [2]
    \"\"\"
    return [row for row in rows if row in wanted]
"""
TESTS = """\
from module import known, totals

def test_totals():
    assert totals(list(range(3000)))[-1] == sum(range(3000))

def test_known():
    assert len(known(list(range(3000)), list(range(0, 6000, 2)))) == 1500
"""
SCRIPT = (
    "import json\nrows = [json.dumps({'at': at, 'all': list(range(20))}) for at in range(15000)]\nprint(len(rows))\n"
)

_ABOUT_US = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _ABOUT_US}) + "\n"


@dataclass(frozen=True)
class Row:
    """A command and the statuses that say it did its work."""

    name: str
    words: tuple[str, ...]
    statuses: tuple[int, ...] = (0,)
    stdin: str = ""
    """Line of a request; its answer, a line, ends the measurement."""


@dataclass(frozen=True)
class Took:
    """Seconds of one run of a command."""

    seconds: float
    loops: float
    """The same as multiples of the fixed loop."""
    cpu_s: float
    """CPU seconds of the command and its guests."""
    steps: Counter[str] = field(default_factory=Counter)
    """Seconds by step, of the clock."""


def rows(folder: Path, backend: str) -> tuple[Row, ...]:
    """Commands on files in a folder, which are written there."""
    for name, text in {
        "old.py": SLOW, "new.py": FAST, "wrong.py": WRONG, "calls.py": CALLS, "program.py": PROGRAM,
        "in_main.py": PROGRAM_IN_MAIN, "package/module.py": MODULE, "package/test_module.py": TESTS,
        "script/run.py": SCRIPT,
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "cases").mkdir()
    for number in range(10):
        (folder / "cases" / f"input.{number}.txt").write_text(f"{300_000 + number}\n")
    calls = ("--calls", "calls.py", "--sandbox", backend)
    readme = ROOT / "problems" / "ribbon-printer" / "slow.py"
    return (
        Row("help", ("--help",)),
        Row("help of compare", ("compare", "--help")),
        Row("mcp: first answer", ("mcp",), stdin=INITIALIZE),
        Row("compare: wrong function", ("compare", "old.py::f", "wrong.py::f", *calls), (0, 1)),
        Row("compare: function", ("compare", "old.py::f", "new.py::f", *calls)),
        Row(
            "compare: program, 10 cases",
            ("compare", "program.py", "in_main.py", "--cases", "cases", "--sandbox", backend),
        ),
        Row("improve: README's example", ("improve", str(readme), "--sandbox", backend)),
        Row("improve: function by rules", ("improve", "old.py::f", *calls)),
        Row("check: file of 14 lines", ("check", "package", "--sandbox", backend), (0, 1)),
        Row("profile --run: script", ("profile", "script", "--run", "python run.py", "--sandbox", backend)),
    )


def measure(row: Row, folder: Path) -> Took:
    """Seconds of one run of a command. Ends the benchmark when it fails."""
    loop = _loop_s()
    if row.stdin:
        return _first_answer(row, folder, loop)
    words = (*row.words, "-v") if row.words[0] in VERBOSE else row.words
    before = cpu_of_children()
    started = last = time.perf_counter()
    steps: Counter[str] = Counter()
    doing, tail = "start", ""
    command = [sys.executable, "-m", "codeopt", *words]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            now, tail = time.perf_counter(), line
            if STEP.match(line) and now - started < LIMIT_S:
                steps[doing] += now - last
                doing, last = step_of(line), now
        process.wait(LIMIT_S)
    ended = time.perf_counter()
    steps[doing] += ended - last
    if process.returncode not in row.statuses:
        raise SystemExit(f"{row.name}: exit status {process.returncode}: {tail.strip()}")
    return Took(ended - started, (ended - started) / loop, cpu_of_children() - before, steps)


def _first_answer(row: Row, folder: Path, loop: float) -> Took:
    """Seconds until a server has answered its first request."""
    before, started = cpu_of_children(), time.perf_counter()
    command = [sys.executable, "-m", "codeopt", *row.words]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(row.stdin)
        process.stdin.flush()
        answer = process.stdout.readline()
        seconds = time.perf_counter() - started
        process.stdin.close()
        process.wait(LIMIT_S)
    if "result" not in answer:
        raise SystemExit(f"{row.name}: no answer, but {answer!r}")
    return Took(seconds, seconds / loop, cpu_of_children() - before)


def step_of(line: str) -> str:
    """`  0:03  case 2 of 7` as `case of`."""
    words = STEP.sub("", line)
    return " ".join(re.sub(r"[\d.,:%]+\S*|\([^)]*\)", "", words).split())[:50]


def _loop_s() -> float:
    started = time.process_time()
    sum(number * number % 7 for number in range(LOOP))
    return time.process_time() - started


def _median(found: Sequence[Took]) -> Took:
    return sorted(found, key=lambda each: each.seconds)[len(found) // 2]


def _print(name: str, took: Took, steps: bool) -> None:
    print(f"{name:32} {took.seconds:7.2f} s {took.loops:7.1f} loops {took.cpu_s:7.2f} CPU s", flush=True)
    for step, seconds in took.steps.most_common(12 if steps else 0):
        print(f"    {seconds:6.2f} s {seconds / took.seconds:4.0%}  {step}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="rows whose names hold one of these words")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--backend", default="bubblewrap")
    parser.add_argument("--steps", action="store_true", help="print seconds by step, too")
    arguments = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    with tempfile.TemporaryDirectory(prefix="codeopt-verdict-") as name:
        folder = Path(name)
        for row in rows(folder, arguments.backend):
            if not arguments.only or any(word in row.name for word in arguments.only):
                _print(row.name, _median([measure(row, folder) for _ in range(arguments.repeats)]), arguments.steps)


if __name__ == "__main__":
    main()
