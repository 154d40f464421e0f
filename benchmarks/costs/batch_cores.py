"""Two measuring cores against one: how much more is judged in the same time, and is an equal program called faster?

    python -m benchmarks.costs.batch_cores [--rounds 6] [--window 30] [--seconds 0.03]

Programs are compared with themselves (A/A), one comparison after the other, as a batch's worker does it: in a sandbox
pinned to a core, holding that core's lock. A round is a window on the first core alone, one on the second alone and one
on both, in random order, because a shared machine is twice as fast in one minute as in the next, and its cores differ.
Throughput is judged runs a second: how many runs a decision takes depends on the noise of the moment, and is printed
beside it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.pool import Pool
from typing import cast

from codeopt.batch.locks import CoreLock, measuring_cores
from codeopt.batch.problem_job import TimedSandbox
from codeopt_sandbox import Case, Options, Sandbox, open_sandbox
from codeopt_sandbox.compare import Decision, StoppingRule, compare

PROGRAM = "total = 0\nfor i in range({n}):\n    total += i % 7\nprint(total)\n"
SPEED = 18_000_000  # iterations a second, about; only sets how long a program takes


@dataclass(frozen=True)
class Window:
    """What one worker got done in the same seconds as the others of its window."""

    runs: int = 0
    seconds: float = 0.0
    decisions: tuple[Decision, ...] = ()

    @property
    def rate(self) -> float:
        """Judged runs a second."""
        return self.runs / self.seconds


def work(task: tuple[int, float, float, int]) -> Window:
    """Compare a program with itself again and again, on one core, for so long."""
    core, window, program_s, seed = task
    source = PROGRAM.format(n=int(program_s * SPEED))
    decisions: list[Decision] = []
    with open_sandbox("bubblewrap", options=Options(core=core)) as sandbox, CoreLock(core).held():
        clocked = TimedSandbox(sandbox)
        started = time.monotonic()
        while time.monotonic() - started < window:
            found = compare(
                cast(Sandbox, clocked),
                source,
                source + "# the same\n",
                [Case("0", b"")],
                rule=StoppingRule(seed=seed + len(decisions)),
            )
            decisions.append(found.decision)
        return Window(clocked.runs, time.monotonic() - started, tuple(decisions))


def measure(pool: Pool, cores: Sequence[int], arguments: argparse.Namespace, seed: int) -> list[Window]:
    """One window on these cores at once."""
    tasks = [(core, arguments.window, arguments.seconds, seed + 1000 * core) for core in cores]
    return pool.map(work, tasks, chunksize=1)


def line(name: str, windows: Sequence[Window]) -> str:
    """What was decided, for people."""
    decisions = [decision for window in windows for decision in window.decisions]
    faster = sum(decision is Decision.FASTER for decision in decisions)
    runs = sum(window.runs for window in windows)
    return f"{name}: {faster} of {len(decisions)} equal programs called faster, {runs / len(decisions):.0f} runs each"


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--window", type=float, default=30.0, help="seconds (%(default)s)")
    parser.add_argument("--seconds", type=float, default=0.03, help="that a program takes, about (%(default)s)")
    arguments = parser.parse_args()
    cores = measuring_cores(2)
    kinds = [(core,) for core in cores] + [tuple(cores)]
    found: dict[tuple[int, ...], list[list[Window]]] = {kind: [] for kind in kinds}
    draw, gains = random.Random(1), []
    with multiprocessing.get_context("spawn").Pool(len(cores)) as pool:
        for number in range(arguments.rounds):
            for kind in draw.sample(kinds, len(kinds)):
                found[kind].append(measure(pool, kind, arguments, number))
            rates = {kind: sum(window.rate for window in windows[-1]) for kind, windows in found.items()}
            alone = statistics.fmean(rates[kind] for kind in kinds[:-1])
            gains.append(rates[kinds[-1]] / alone)
            print(
                f"round {number + 1}: one core {alone:.1f} runs/s, both {rates[kinds[-1]]:.1f}: {gains[-1]:.2f} times"
            )
    print(line("one core", [window for kind in kinds[:-1] for windows in found[kind] for window in windows]))
    print(line("both cores", [window for windows in found[kinds[-1]] for window in windows]))
    print(f"{statistics.median(gains):.2f} times the throughput (median of {len(gains)} rounds)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
