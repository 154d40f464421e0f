"""How often the judge is wrong.

    python -m benchmarks.errors.calibration [--ms 5 30 300] [--ratios 1.0 1.05 1.1] [--decisions 300] [--hog] [--guests]

Programs whose true ratio is known are paired with the original as the judge pairs them: neighbours, in random order,
short ones repeated inside a pair. Our rule decides as early as it can and the next decision begins with the next pair,
so that no two decisions share a measurement; PIE's and codeflash's rules see the same runs, each a trial of theirs, 25
trials at a time. Pairs are taken until our rule has decided often enough by CPU time; how far it is goes to stderr.

A large ratio ends a comparison early (codeopt_sandbox.sequential_test). That is as seldom wrong as is stated if noise
alone makes each of the first pairs so large in at most a share alpha of comparisons. The last two columns count it at a
true ratio of 1.00: the pairs that are off by a factor of 3 either way, and runs of 4 pairs that all are.

With --guests the rule is that of confirmations and of `compare`: each decision by CPU time has fresh guests, and allows
for what these differ in.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, variance

from codeopt_sandbox import Options, Sandbox, open_sandbox
from codeopt_sandbox.compare import Clock, Decision, Plan, Series, StoppingRule, decide, lower_half_mean
from codeopt_sandbox.sequential_test import FAR, FAR_PAIRS, begins_guest

CLOCKS: tuple[Clock, ...] = ("cpu", "wall")
HOG = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(10**6): pass\n"
WORK = "total = 0\nfor i in range({count}):\n    total += i * i % 7\nprint('done')\n"


Seconds = tuple[list[float], list[float]]
"""Of the original and of a version, as many runs of each as the pair has, in the order they were taken."""


@dataclass(frozen=True)
class Pair:
    """The original and a version, run next to each other."""

    cpu: Seconds = field(default_factory=lambda: ([], []))
    wall: Seconds = field(default_factory=lambda: ([], []))

    def by(self, clock: Clock) -> Seconds:
        """By one clock."""
        return self.cpu if clock == "cpu" else self.wall


@dataclass
class Tally:
    """What the rules have said of one version by one clock."""

    clock: Clock
    series: Series
    decided: list[tuple[Decision, int]] = field(default_factory=list)
    window: list[tuple[float, float]] = field(default_factory=list)
    others: list[tuple[bool, bool]] = field(default_factory=list)
    """Answers of PIE's and codeflash's rules."""
    logs: list[float] = field(default_factory=list)

    def take(self, pair: Pair, rule: StoppingRule) -> None:
        """One more pair; decisions are made when they can be."""
        difference = log_ratio(pair.by(self.clock))
        self.series.differences.append(difference)
        self.series.wall.append(log_ratio(pair.wall))
        self.logs.append(difference)
        pairs = len(self.series.differences)
        decision, _ = decide(self.series, rule)
        if decision is not Decision.INCONCLUSIVE or pairs == rule.max_pairs:
            self.decided.append((decision, pairs))
            self.series = Series(self.clock, guests=[0] if rule.several_guests else [])
        for trial in zip(*pair.by(self.clock), strict=True):
            self.window.append(trial)
            if len(self.window) == PIE_TRIALS:
                old, new = [old for old, _ in self.window], [new for _, new in self.window]
                self.others.append((pie_says_faster(old, new), codeflash_says_faster(old, new)))
                self.window = []

    def row(self, ms: int, ratio: float) -> str:
        """One line of the table."""
        faster = f"{fmean(decision is Decision.FASTER for decision, _ in self.decided):.1%}" if self.decided else "-"
        pairs = f"{fmean(pairs for _, pairs in self.decided):.1f}" if self.decided else "-"
        pie, flash = (f"{fmean(said[at] for said in self.others):.1%}" if self.others else "-" for at in (0, 1))
        return (
            f"| {ms} | {self.clock} | {ratio:.2f} | {faster} of {len(self.decided)} | {pairs} "
            f"| {pie} | {flash} of {len(self.others)} | {spread(self.logs):.1%} | {self._far(ratio)} |"
        )

    def _far(self, ratio: float) -> str:
        """Pairs that are off by a factor of FAR, and disjoint runs of first pairs that all are."""
        off = [abs(log - math.log(ratio)) >= math.log(FAR) for log in self.logs]
        runs = [off[at : at + FAR_PAIRS] for at in range(0, len(off) - FAR_PAIRS + 1, FAR_PAIRS)]
        return f"{sum(off)} of {len(off)} | {sum(map(all, runs))} of {len(runs)}"


def spread(values: Sequence[float]) -> float:
    """Standard deviation by the median absolute deviation, which a few disturbed values do not move."""
    middle = median(values)
    return 1.4826 * median(abs(value - middle) for value in values)


def log_ratio(seconds: Seconds) -> float:
    """Logarithm of original / version."""
    return math.log(lower_half_mean(seconds[0]) / lower_half_mean(seconds[1]))


def take_pair(sandbox: Sandbox, programs: Sequence[str], draw: random.Random, repeats: int) -> Pair:
    """Take a pair in the same way as codeopt_sandbox.compare."""
    pair = Pair()
    for _ in range(repeats):
        for which in (0, 1) if draw.random() < 0.5 else (1, 0):
            run = sandbox.run(programs[which])
            pair.cpu[which].append(run.cpu_s)
            pair.wall[which].append(run.wall_s)
    return pair


def calibrate(sandbox: Sandbox, ms: int, ratio: float, decisions: int, rule: StoppingRule) -> Iterator[str]:
    """The rows of one version, by each clock."""
    draw = random.Random(ms)
    count = 200_000 * ms / 1000 / min(sandbox.run(WORK.format(count=200_000)).cpu_s for _ in range(5))
    programs = [WORK.format(count=int(count)), WORK.format(count=int(count / ratio))]
    repeats = max(1, math.ceil(rule.pair_seconds * 1000 / ms))
    plan = Plan((), "cpu", repeats, short=repeats * ms < 150)
    cpu, wall = (Tally(clock, Series(clock)) for clock in CLOCKS)
    while len(cpu.decided) < decisions:
        if rule.several_guests and begins_guest(len(cpu.series.differences)):
            sandbox.restart_guest()
            for series in (cpu.series, wall.series):
                series.guests[:] = sorted({*series.guests, len(series.differences)})
        pair = take_pair(sandbox, programs, draw, plan.runs(len(cpu.series.differences)))
        cpu.take(pair, rule)
        wall.take(pair, rule)
        print(f"\r{ms} ms, {ratio:.2f}: {len(cpu.decided)} of {decisions}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for tally in (cpu, wall):
        yield tally.row(ms, ratio)


@contextlib.contextmanager
def hog(wanted: bool) -> Iterator[None]:
    """Another process that never rests."""
    process = subprocess.Popen([sys.executable, "-c", HOG]) if wanted else None
    try:
        yield
    finally:
        if process:
            process.kill()
            process.wait()


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ms", type=int, nargs="+", default=[5, 30])
    parser.add_argument("--ratios", type=float, nargs="+", default=[1.0, 1.05, 1.10])
    parser.add_argument("--decisions", type=int, default=300)
    parser.add_argument("--guests", action="store_true", help="each decision in fresh guests, as it is told to a user")
    parser.add_argument("--hog", action="store_true", help="with another process on a core")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--core", type=int, help="measure on this core (default: the quietest)")
    arguments = parser.parse_args()
    print(
        "| ms | clock | true ratio | ours: faster | pairs (mean) | PIE: faster | codeflash: faster | spread of a pair "
        "| pairs off by 3x | all of 4 off by 3x |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    with hog(arguments.hog), open_sandbox(arguments.backend, options=Options(core=arguments.core)) as sandbox:
        for ms in arguments.ms:
            for ratio in arguments.ratios:
                sandbox.quiesce()
                rule = StoppingRule().final() if arguments.guests else StoppingRule()
                for row in calibrate(sandbox, ms, ratio, arguments.decisions, rule):
                    print(row, flush=True)


# How others decide that a program became faster, to be judged on the same measurements as our rule.

PIE_TRIALS = 25
CODEFLASH_LOOPS = 5


def pie_says_faster(original: Sequence[float], candidate: Sequence[float]) -> bool:
    """The PIE harness: 25 trials each, the first dropped, a t-test at 5 %, and at least 5 % less time."""
    old, new = original[1:PIE_TRIALS], candidate[1:PIE_TRIALS]
    return fmean(old) / fmean(new) > 1.05 and welch_p(old, new) < 0.05


def codeflash_says_faster(original: Sequence[float], candidate: Sequence[float]) -> bool:
    """codeflash: the minimum of at least 5 loops for each input (here one), and more than 5 % gain."""
    return min(original[:CODEFLASH_LOOPS]) / min(candidate[:CODEFLASH_LOOPS]) - 1 > 0.05


def welch_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p of Welch's t-test."""
    va, vb = variance(a) / len(a), variance(b) / len(b)
    if va + vb == 0:
        return 1.0
    t = abs(fmean(a) - fmean(b)) / math.sqrt(va + vb)
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    return 2 * _t_tail(t, freedom)


def _t_tail(t: float, freedom: float, steps: int = 2000) -> float:
    """P(T > t) by Simpson's rule over the density; the tail beyond 60 is nothing."""
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)

    def density(x: float) -> float:
        return math.exp(log_scale - (freedom + 1) / 2 * math.log1p(x * x / freedom))

    end = t + 60
    width = (end - t) / steps
    inner = sum((4 if k % 2 else 2) * density(t + k * width) for k in range(1, steps))
    return (density(t) + inner + density(end)) * width / 3


if __name__ == "__main__":
    main()
