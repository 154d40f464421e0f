"""How much the ratio of two programs differs from guest to guest: what no number of pairs within one guest can show.

    python -m benchmarks.between_guests [--guests 12] [--pairs 12] [--ms 30] [--backend bubblewrap]

Two programs that do the same in another way are paired as the judge pairs them, often in each of several guests.
`between` is the standard deviation of the guests' middles beyond what the spread of pairs explains (DerSimonian and
Laird's moment estimate, Controlled Clinical Trials 7, 1986); `most apart` the largest distance of two guests' middles.
codeopt_sandbox.guests has its prior from this table.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence
from statistics import fmean, median, variance

from benchmarks.calibration import WORK
from codeopt_sandbox import Sandbox, open_sandbox
from codeopt_sandbox.sequential_test import hodges_lehmann

PROGRAMS: dict[str, tuple[str, str]] = {
    "the same text": (WORK, WORK + "# the same\n"),
    "loop, comprehension": (
        "found = []\nfor i in range({count}):\n    found.append(i * i % 7)\nprint('done')\n",
        "found = [i * i % 7 for i in range({count})]\nprint('done')\n",
    ),
    "dict, list": (
        "seen = {{}}\nfor i in range({count}):\n    seen[i % 1000] = seen.get(i % 1000, 0) + i\nprint('done')\n",
        "seen = [0] * 1000\nfor i in range({count}):\n    seen[i % 1000] = seen[i % 1000] + i\nprint('done')\n",
    ),
    "strings": (
        "text = ''\nfor i in range({count}):\n    text += str(i)\nprint('done')\n",
        "text = ''.join(map(str, range({count})))\nprint('done')\n",
    ),
    "sorted, heap": (
        "import random\nd = random.Random(1)\nx = sorted(d.random() for _ in range({count}))\nprint('done')\n",
        "import random, heapq\nd = random.Random(1)\nx = [d.random() for _ in range({count})]\nheapq.heapify(x)\n"
        "print('done')\n",
    ),
    "large lists": (
        "x = list(range({count}))\ny = x[::-1]\nt = 0\nfor a in y:\n    t += a\nprint('done')\n",
        "x = {{i: i for i in range({count})}}\nt = 0\nfor a in x.values():\n    t += a\nprint('done')\n",
    ),
}


def middles(sandbox: Sandbox, programs: Sequence[str], guests: int, pairs: int) -> list[list[float]]:
    """Logarithms of original / candidate, CPU time, one list a guest."""
    draw, found = random.Random(1), []
    for _ in range(guests):
        sandbox.restart_guest()
        inside: list[float] = []
        for _ in range(pairs):
            took = [0.0, 0.0]
            for which in (0, 1) if draw.random() < 0.5 else (1, 0):
                took[which] = sandbox.run(programs[which]).cpu_s
            inside.append(math.log(took[0] / took[1]))
        found.append(inside)
    return found


def between(found: Sequence[Sequence[float]]) -> float:
    """Standard deviation between guests, by the guests' middles less what pairs explain."""
    inside = fmean((1.4826 * median(abs(d - median(each)) for d in each)) ** 2 / len(each) for each in found)
    return math.sqrt(max(0.0, variance([hodges_lehmann(each) for each in found]) - inside))


def scaled(sandbox: Sandbox, programs: tuple[str, str], ms: float) -> list[str]:
    """Each program with so many steps that it takes about `ms`."""
    scale = []
    for program in programs:
        took = min(sandbox.run(program.format(count=100_000)).cpu_s for _ in range(3))
        empty = min(sandbox.run("print('done')\n").cpu_s for _ in range(3))
        scale.append(int(100_000 * ms / 1000 / max(took - empty, 1e-4)))
    return [program.format(count=count) for program, count in zip(programs, scale, strict=True)]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--guests", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--ms", type=float, default=30)
    parser.add_argument("--backend", default="auto")
    arguments = parser.parse_args()
    print("| programs | guests | pairs in each | spread of a pair | between guests | most apart |")
    print("|---|---|---|---|---|---|")
    with open_sandbox(arguments.backend) as sandbox:
        for name, programs in PROGRAMS.items():
            texts = scaled(sandbox, programs, arguments.ms)
            found = middles(sandbox, texts, arguments.guests, arguments.pairs)
            spread = median(1.4826 * median(abs(d - median(each)) for d in each) for each in found)
            centres = [hodges_lehmann(each) for each in found]
            print(
                f"| {name} | {arguments.guests} | {arguments.pairs} | {spread:.1%} | {between(found):.2%} "
                f"| {max(centres) - min(centres):.1%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
