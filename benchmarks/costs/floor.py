"""How many times its floor a verdict costs.

    python -m benchmarks.costs.floor [--functions FOLDER] [--only NAME ...] [--sandbox bubblewrap] [--repeats 3]

The floor is the same decision made by a bare script: it runs both versions on the known inputs (of a function on 1,000
varied calls, too), compares what they give, times nine pairs in processes of their own, and makes an interval. It has
no sandbox and no contract, and knows nothing of state, files or flaky code. The ratio of CPU seconds is about the same
on any machine; the seconds of wall time are not.

--functions: a folder with a folder for each function, with `slow.py`, `expert.py` and `calls.py`, which has a list
CALLS and may have BIG, of (arguments, keywords). Programs are bundled problems.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import math
import os
import pickle
import random
import runpy
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks import cpu_of_children, not_run

ROOT = Path(__file__).parents[2]
PROGRAMS = ("bakery-ledger", "ribbon-printer", "rover-log")
VARIED = 1000
"""Calls that are made from known ones, as many as `compare` makes."""
PAIRS = 9
"""`compare` makes as many where the gain is clear."""
TIMED_S = 0.05
"""CPU seconds of one timed run, as in `compare`."""
Call = tuple[Sequence[Any], dict[str, Any]]


@dataclass(frozen=True)
class Comparison:
    """One row: its floor as words of this module's command line, and the words of `codeopt compare`."""

    name: str
    floor: tuple[str, ...]
    command: tuple[str, ...]


def comparisons(functions: Path | None) -> Iterator[Comparison]:
    """The bundled programs, then the functions of a folder."""
    for name in PROGRAMS:
        slow, fast = (str(ROOT / "problems" / name / file) for file in ("slow.py", "fast.py"))
        yield Comparison(name, ("program", slow, fast), (slow, fast))
    for folder in sorted(functions.iterdir()) if functions else ():
        if (folder / "expert.py").exists():
            slow, fast, calls = (str(folder / file) for file in ("slow.py", "expert.py", "calls.py"))
            defs = [node.name for node in ast.parse(Path(slow).read_text()).body if isinstance(node, ast.FunctionDef)]
            versions = (f"{slow}::{defs[-1]}", f"{fast}::{defs[-1]}")
            yield Comparison(folder.name, ("function", slow, fast, calls, defs[-1]), (*versions, "--calls", calls))


def floor_of_function(slow: str, fast: str, calls: str, name: str) -> str:
    """Compare two functions on known and varied calls, and time them on the BIG ones. Returns the result in words."""
    old, new = (runpy.run_path(path)[name] for path in (slow, fast))
    given: dict[str, Any] = runpy.run_path(calls)
    known, big = list(given["CALLS"]), list(given.get("BIG") or given["CALLS"])
    draw = random.Random(0)
    made: list[Call] = [
        ([varied(value, draw) for value in args], named) for args, named in draw.choices(known, k=VARIED)
    ]
    differ = sum(outcome(old, call) != outcome(new, call) for call in [*known, *made, *big])
    rounds = max(1, round(TIMED_S / of_its_own(partial(seconds_of, old, big, 1))))
    sides = [partial(of_its_own, partial(seconds_of, version, big, rounds)) for version in (old, new)]
    return f"{differ} of {len(known) + len(made) + len(big)} calls differ, {pairs(*sides)}"


def floor_of_program(slow: str, fast: str) -> str:
    """Compare two programs on the problem's inputs, and time them on the longest. Returns the result in words."""
    inputs = [path.read_bytes() for path in sorted(Path(slow).parent.glob("input.*.txt"))]

    def printed(program: str, text: bytes) -> bytes:
        return subprocess.run([sys.executable, program], input=text, capture_output=True, check=True).stdout

    differ = sum(printed(slow, text) != printed(fast, text) for text in inputs)
    longest = max(inputs, key=len)

    def seconds(program: str) -> float:
        before = cpu_of_children()
        printed(program, longest)
        return cpu_of_children() - before

    return f"{differ} of {len(inputs)} inputs differ, {pairs(partial(seconds, slow), partial(seconds, fast))}"


def varied(value: Any, draw: random.Random) -> Any:
    """A value near one: another number, a text or list with a part more or less."""
    match value:
        case bool():
            return not value
        case int() | float():
            return draw.choice((0, -value, value + 1, value - 1, value * 3))
        case str():
            cut = draw.randrange(len(value) + 1)
            return value[:cut] + draw.choice(("", "a", "Z", " ", "7")) + value[cut + 1 :]
        case list() | tuple() if value:
            # A long list is cut: with 1,000 of them the floor would be the time of their items.
            some = list(value[:50])
            some[draw.randrange(len(some))] = varied(draw.choice(some), draw)
            return some + some[: draw.randrange(2)]
        case _:
            return value


def outcome(version: Callable[..., Any], call: Call) -> tuple[Any, ...]:
    """What a version gives and what it leaves of its arguments."""
    args, named = copy.deepcopy(call)
    try:
        return "returns", repr(version(*args, **named)), repr(args)
    except Exception as error:  # noqa: BLE001  whatever a version raises is its answer
        return type(error).__name__, str(error), repr(args)


def seconds_of(version: Callable[..., Any], calls: Sequence[Call], rounds: int) -> float:
    """CPU seconds of all calls, the median of some rounds with fresh arguments."""
    packed, found = pickle.dumps(calls), []
    for _ in range(rounds):
        fresh = pickle.loads(packed)
        began = time.process_time()
        for args, named in fresh:
            version(*args, **named)
        found.append(time.process_time() - began)
    return statistics.median(found)


def of_its_own(measure: Callable[[], float]) -> float:
    """A measurement made in a process of its own."""
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(measure()))
    process.start()
    found: float = receiver.recv()
    process.join()
    return found


def pairs(old: Callable[[], float], new: Callable[[], float]) -> str:
    """Time pairs, the first side in turn. Returns the ratio and its interval, by a bootstrap of 2,000 draws."""
    logs = []
    for number in range(PAIRS):
        first, second = (side() for side in ((old, new) if number % 2 else (new, old)))
        logs.append(math.log(first / second) if number % 2 else math.log(second / first))
    draw = random.Random(0)
    means = sorted(statistics.fmean(draw.choices(logs, k=PAIRS)) for _ in range(2000))
    low, middle, high = (math.exp(value) for value in (means[50], statistics.fmean(logs), means[-50]))
    return f"{middle:.2f}x ({low:.2f} to {high:.2f})"


def run(words: Sequence[str]) -> tuple[float, float, str]:
    """CPU seconds and seconds of a command, and what it printed."""
    before, began = cpu_of_children(), time.perf_counter()
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT, check=False)
    return cpu_of_children() - before, time.perf_counter() - began, done.stdout or done.stderr[-200:]


def main() -> None:
    """Print a row for each comparison, and the median ratio."""
    if sys.argv[1:2] == ["--bare"]:
        kind, *words = sys.argv[2:]
        print(floor_of_program(*words) if kind == "program" else floor_of_function(*words))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=Path, help="folder of functions with experts' versions")
    parser.add_argument("--only", nargs="*", default=[], help="rows whose names hold one of these words")
    parser.add_argument("--sandbox", default="bubblewrap")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.functions and not arguments.functions.is_dir():
        not_run(f"there is no folder {arguments.functions}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    ratios = []
    for row in comparisons(arguments.functions):
        if arguments.only and not any(word in row.name for word in arguments.only):
            continue
        command = ("codeopt", "compare", *row.command, "--no-cache", "-q", "--json", "--sandbox", arguments.sandbox)
        floors = [run(("benchmarks.costs.floor", "--bare", *row.floor)) for _ in range(arguments.repeats)]
        verdicts = [run(command) for _ in range(arguments.repeats)]
        floor, took = (statistics.median(cpu_s for cpu_s, _, _ in found) for found in (floors, verdicts))
        wall = statistics.median(seconds for _, seconds, _ in verdicts)
        ratios.append(took / floor)
        text = verdicts[-1][2]
        verdict = json.loads(text)["verdict"] if text.startswith("{") else text.strip()
        print(f"{row.name:24} {took / floor:5.1f} times the floor of {floor:.2f} CPU s: {took:.2f} CPU s, {wall:.1f} s")
        print(f"    {verdict}; floor: {floors[-1][2].strip()}", flush=True)
    if ratios:
        print(f"median {statistics.median(ratios):.1f} times the floor of {len(ratios)} comparisons")
    if not arguments.functions:
        print("functions: not measured without --functions")


if __name__ == "__main__":
    main()
