"""Spread of the ratio of two programs from guest to guest, which no number of pairs within one guest can show.

    python -m benchmarks.errors.between_guests [--guests 12] [--pairs 12] [--ms 30] [--backend bubblewrap]
    python -m benchmarks.errors.between_guests --simulate 400 [--gains 1.0 1.05] [--worth 0.05] [--noise 0.01]

Two programs that do the same in another way are paired as the judge pairs them, often in each of several guests.
`between` is the standard deviation of the guests' middles beyond what the spread of pairs explains (DerSimonian and
Laird's moment estimate, Controlled Clinical Trials 7, 1986); `most apart` the largest distance of two guests' middles.
codeopt_sandbox.sequential_test has its prior from this table.

With --simulate nothing is timed: the ratio of each guest is drawn, normal with the given spread, and so is each pair
within it (--noise). The table has the share of comparisons that say faster, and of 95 % intervals that hold the true
ratio, for pairs of one guest and for those of several, and the mean pairs of the latter. --worth is the least gain
worth having, as `--min-gain` of codeopt has it: a smaller one is looked for longer.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from benchmarks.errors.calibration import WORK, log_ratio, spread, take_pair
from codeopt_sandbox import Sandbox, open_sandbox
from codeopt_sandbox.compare import Decision, Series, StoppingRule, decide
from codeopt_sandbox.sequential_test import begins_guest, hodges_lehmann, interval
from codeopt_sandbox.sequential_test import between as squares_between

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


@dataclass(frozen=True)
class Drawn:
    """One comparison whose pairs were drawn."""

    faster: bool
    held: bool
    """True if its interval holds the true ratio."""
    pairs: int


def simulated(apart: float, gain: float, noise: float, rule: StoppingRule, draw: random.Random) -> Drawn:
    """A comparison with drawn pairs. apart: spread of the logarithm of the ratio between guests."""
    series, decision, bias = Series("wall"), Decision.INCONCLUSIVE, draw.gauss(0.0, apart)
    while decision is Decision.INCONCLUSIVE and len(series.differences) < rule.max_pairs:
        pairs = len(series.differences)
        if rule.several_guests and begins_guest(pairs):
            series.guests.append(pairs)
            bias = draw.gauss(0.0, apart)
        series.differences.append(math.log(gain) + bias + draw.gauss(0.0, noise))
        decision, _ = decide(series, rule)
    low, high = interval(series.differences, rule.within * 0.05)
    margin = series.margin(0.025)
    held = low - margin <= math.log(gain) <= high + margin
    return Drawn(decision is Decision.FASTER, held, len(series.differences))


def simulate(tries: int, gains: Sequence[float], worth: float, noise: float) -> None:
    """Print the table of what is drawn."""
    print("| between guests | true ratio | faster, one guest | faster, several | held, one | held, several | pairs |")
    print("|---|---|---|---|---|---|---|")
    screened = StoppingRule(worth_having=1 + worth)
    for apart in (0.0, 0.01, 0.02):
        for gain in gains:
            draw = random.Random(f"{apart} {gain}")
            one, several = (
                [simulated(apart, gain, noise, rule, draw) for _ in range(tries)]
                for rule in (screened, screened.final())
            )
            shares = [fmean(each.faster for each in found) for found in (one, several)]
            shares += [fmean(each.held for each in found) for found in (one, several)]
            said = " | ".join(f"{share:.1%}" for share in shares)
            print(f"| {apart:.0%} | {gain:.2f} | {said} | {fmean(each.pairs for each in several):.0f} |", flush=True)


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
    parser.add_argument("--gains", type=float, nargs="+", default=[1.0, 1.05, 1.10, 1.5], help="true ratios to draw")
    parser.add_argument("--worth", type=float, default=0.05, help="least gain worth having")
    parser.add_argument("--noise", type=float, default=0.01, help="spread of a pair")
    arguments = parser.parse_args()
    if arguments.simulate:
        simulate(arguments.simulate, arguments.gains, arguments.worth, arguments.noise)
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
