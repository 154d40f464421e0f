"""Spread of the ratio of two programs from guest to guest, which no number of pairs within one guest can show.

    python -m benchmarks.between_guests [--guests 12] [--pairs 12] [--ms 30] [--backend bubblewrap]
    python -m benchmarks.between_guests --simulate 400

Two programs that do the same in another way are paired as the judge pairs them, often in each of several guests.
`between` is the standard deviation of the guests' middles beyond what the spread of pairs explains (DerSimonian and
Laird's moment estimate, Controlled Clinical Trials 7, 1986); `most apart` the largest distance of two guests' middles.
codeopt_sandbox.guests has its prior from this table.

With --simulate nothing is timed: the ratio of each guest is drawn, normal with the given spread, and so is each pair
within it (1 %). The table has the share of comparisons that say faster, and of 95 % intervals that hold the true ratio,
for pairs of one guest and for those of several.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence
from statistics import fmean, median

from benchmarks.calibration import WORK, log_ratio, spread, take_pair
from codeopt_sandbox import Sandbox, open_sandbox
from codeopt_sandbox.compare import Decision, Series, StoppingRule, decide
from codeopt_sandbox.guests import begins_guest
from codeopt_sandbox.guests import between as squares_between
from codeopt_sandbox.sequential_test import hodges_lehmann, interval

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
        found.append([log_ratio(take_pair(sandbox, programs, draw, 1).cpu) for _ in range(pairs)])
    return found


def between(found: Sequence[Sequence[float]]) -> float:
    """Standard deviation between guests, as the judge estimates it."""
    return math.sqrt(squares_between(found) / (len(found) - 1))


def simulated(apart: float, gain: float, rule: StoppingRule, draw: random.Random) -> tuple[bool, bool]:
    """Whether a comparison with drawn pairs says faster, and whether its interval holds the true ratio."""
    series, decision, bias = Series("wall"), Decision.UNDECIDED, draw.gauss(0.0, apart)
    while decision is Decision.UNDECIDED and len(series.differences) < rule.max_pairs:
        pairs = len(series.differences)
        if rule.several_guests and begins_guest(pairs):
            series.guests.append(pairs)
            bias = draw.gauss(0.0, apart)
        series.differences.append(math.log(gain) + bias + draw.gauss(0.0, 0.01))
        decision, _ = decide(series, rule)
    low, high = interval(series.differences, rule.within * 0.05)
    margin = series.margin(0.025)
    return decision is Decision.FASTER, low - margin <= math.log(gain) <= high + margin


def simulate(tries: int) -> None:
    """Print the table of what is drawn."""
    print("| between guests | true ratio | faster, one guest | faster, several | held by the interval, one | several |")
    print("|---|---|---|---|---|---|")
    for apart in (0.0, 0.01, 0.02):
        for gain in (1.0, 1.05, 1.10, 1.5):
            draw = random.Random(f"{apart} {gain}")
            rules = (StoppingRule(), StoppingRule().final())
            found = [[simulated(apart, gain, rule, draw) for _ in range(tries)] for rule in rules]
            shares = [f"{fmean(each[at] for each in one):.1%}" for at in (0, 1) for one in found]
            print(f"| {apart:.0%} | {gain:.2f} | {' | '.join(shares)} |", flush=True)


def scaled(sandbox: Sandbox, programs: tuple[str, str], ms: float) -> list[str]:
    """Programs with as many steps as take each about `ms` milliseconds."""
    scale = []
    empty = min(sandbox.run("print('done')\n").cpu_s for _ in range(3))
    for program in programs:
        took = min(sandbox.run(program.format(count=100_000)).cpu_s for _ in range(3))
        scale.append(int(100_000 * ms / 1000 / max(took - empty, 1e-4)))
    return [program.format(count=count) for program, count in zip(programs, scale, strict=True)]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--guests", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--ms", type=float, default=30)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--simulate", type=int, metavar="TRIES", help="draw so many comparisons of each row, time none")
    arguments = parser.parse_args()
    if arguments.simulate:
        simulate(arguments.simulate)
        return
    print("| programs | guests | pairs in each | spread of a pair | between guests | most apart |")
    print("|---|---|---|---|---|---|")
    with open_sandbox(arguments.backend) as sandbox:
        for name, programs in PROGRAMS.items():
            texts = scaled(sandbox, programs, arguments.ms)
            found = middles(sandbox, texts, arguments.guests, arguments.pairs)
            centres = [hodges_lehmann(each) for each in found]
            print(
                f"| {name} | {arguments.guests} | {arguments.pairs} | {median(map(spread, found)):.1%} "
                f"| {between(found):.2%} | {max(centres) - min(centres):.1%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
