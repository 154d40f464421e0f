"""Two measuring cores against one: how much more is judged in the same time, and is an equal program called faster?

    python -m benchmarks.batch_cores [--tries 40] [--seconds 0.03]

Each try is one comparison of a program with itself (A/A), done as a batch's worker does it: in a sandbox pinned to a
core, holding that core's lock. First all on one core by one worker, then the same number by one worker a core.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from multiprocessing.pool import Pool

from codeopt.batch.cores import CoreLock, measuring_cores
from sandbox import Case, Options, open_sandbox
from sandbox.compare import Decision, compare

PROGRAM = "total = 0\nfor i in range({n}):\n    total += i % 7\nprint(total)\n"
SPEED = 18_000_000  # iterations a second, about; only sets how long a try takes


def one(task: tuple[int, int, float]) -> str:
    """One A/A comparison on a core; the decision."""
    core, seed, seconds = task
    source = PROGRAM.format(n=int(seconds * SPEED))
    with open_sandbox("bubblewrap", options=Options(core=core)) as sandbox, CoreLock(core).held():
        return compare(sandbox, source, source + "# the same\n", [Case("0", b"")], seed=seed).decision


def measure(pool: Pool, cores: list[int], tries: int, seconds: float) -> float:
    """Tries a second, and a line about what was decided."""
    started = time.monotonic()
    tasks = [(cores[number % len(cores)], number, seconds) for number in range(tries)]
    found = pool.map(one, tasks, chunksize=1)
    rate = tries / (time.monotonic() - started)
    wrong = sum(decision == Decision.FASTER for decision in found)
    print(
        f"{len(cores)} core(s): {rate:.3f} comparisons/s, {wrong} of {tries} equal programs called faster", flush=True
    )
    return rate


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.03)
    arguments = parser.parse_args()
    cores = measuring_cores(2)
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        alone = measure(pool, cores[-1:], arguments.tries, arguments.seconds)
    with context.Pool(len(cores)) as pool:
        both = measure(pool, cores, arguments.tries, arguments.seconds)
    print(f"{both / alone:.2f} times the throughput")
    return 0


if __name__ == "__main__":
    sys.exit(main())
