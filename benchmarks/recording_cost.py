"""What recording costs a user's own command, for functions that it calls a million times: its processor time with the
recorder against without.

    python -m benchmarks.recording_cost [--calls 1000000] [--rounds 3] [--python python3]

Nothing is shorter than the first function's body, so that it shows the worst; each time is the least of some rounds,
with the start of the interpreter.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import cpu_of_children
from codeopt.workloads.function.recording.instrumented_run import UsersCommand
from codeopt.workloads.function.recording.recording import record
from codeopt.workloads.source.functions import read_function

PROGRAM = """\
import sys

class Box:
    items = list(range(10))

    def __init__(self):
        self.seen = set()

    def get(self, k):
        return self.items[k % 10]

    def add(self, k):
        self.seen.add(k)

    @classmethod
    def kind(cls, k):
        return k % 10

    @staticmethod
    def half(k):
        return k // 2

    def walk(self, depth):
        return 1 if depth == 0 else self.walk(depth - 1) + self.walk(depth - 1)

    @classmethod
    def climb(cls, depth):
        return 1 if depth == 0 else cls.climb(depth - 1) + cls.climb(depth=depth - 1)

def tiny(n):
    return n * 2 + 1

def total(items):
    found = 0
    for item in items:
        found += item
    return found

def words(text):
    return len(set(text.split()))

def recursive(depth):
    return 1 if depth == 0 else recursive(depth - 1) + recursive(depth - 1)

def countdown(n):
    return 0 if n == 0 else countdown(n - 1)

async def task(n):
    return n

def defaulted(n, more=1):
    return n + more

def by_keyword(n, more):
    return n + more

def keyword_only(n, *, more=1):
    return n + more

def starred(*args):
    return args[0]

def anything(*args, **kwargs):
    return args

if __name__ == "__main__":
    name, calls = sys.argv[1], int(sys.argv[2])
    if name == "recursive":
        recursive(calls.bit_length() - 1)
    box, items, text = Box(), list(range(10)), "a b c d e f g h i j"
    if name == "Box.walk":
        box.walk(calls.bit_length() - 1)
    if name == "Box.climb":
        box.climb(calls.bit_length() - 1)
    if name == "countdown":
        for n in range(calls // 900):
            countdown(900)
    if name == "task":
        async def main():
            for n in range(calls):
                await task(n)
        import asyncio
        asyncio.run(main())
    if name == "Box.add":
        for n in range(calls):
            box.add(n % 10)
    if name == "Box.kind":
        for n in range(calls):
            box.kind(n)
    if name == "Box.half":
        for n in range(calls):
            box.half(n)
    if name == "defaulted":
        for n in range(calls):
            defaulted(n)
    if name == "by_keyword":
        for n in range(calls):
            by_keyword(n=n, more=2)
    if name == "keyword_only":
        for n in range(calls):
            keyword_only(n, more=2)
    if name == "starred":
        for n in range(calls):
            starred(n)
    if name == "anything":
        for n in range(calls):
            anything(n, more=2)
    if name == "tiny":
        for n in range(calls):
            tiny(n)
    if name == "Box.get":
        for n in range(calls):
            box.get(n)
    if name == "total":
        for n in range(calls):
            total(items)
    if name == "words":
        for n in range(calls):
            words(text)
"""
FUNCTIONS = (
    "tiny", "Box.get", "Box.add", "Box.kind", "Box.half", "total", "words", "task",
    "recursive", "countdown", "Box.walk", "Box.climb",
    "defaulted", "by_keyword", "keyword_only", "starred", "anything",
)  # fmt: skip


def processor_s(run: Callable[[], object]) -> float:
    """Seconds of the children that a function starts and waits for."""
    before = cpu_of_children()
    run()
    return cpu_of_children() - before


def measure(path: Path, name: str, command: Sequence[str], rounds: int) -> tuple[float, float]:
    """(without, with the recorder)."""
    function = read_function(path, name)
    without = min(processor_s(lambda: subprocess.run(command, check=True)) for _ in range(rounds))
    return without, min(processor_s(lambda: record(function, UsersCommand(command))) for _ in range(rounds))


def main() -> int:
    """Print a line for each function."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default=sys.executable, metavar="PATH")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(PROGRAM)
        for name in FUNCTIONS:
            command = [arguments.python, str(path), name, str(arguments.calls)]
            without, recorded = measure(path, name, command, arguments.rounds)
            each = f"{1e9 * without / arguments.calls:.0f} ns a call"
            print(f"{name:<12} {without:.3f} s ({each})   recorded {recorded:.3f} s   {recorded / without:.2f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
