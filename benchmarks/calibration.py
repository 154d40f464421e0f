"""How often the judge is wrong: python -m benchmarks.calibration [--ms 5 30 300] [--hog].

Programs whose true ratio is known run round after round in one guest, in random order: the original twice, and versions
that do 1/1.05 and 1/1.10 of its work. Each decision is made on the rounds from one starting point on; starting points
lie a few rounds apart, so that decisions share some measurements. Our rule, PIE's and codeflash's see the same rounds.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from benchmarks.rules_of_others import PIE_TRIALS, codeflash_says_faster, pie_says_faster
from sandbox import Sandbox, open_sandbox
from sandbox.compare import Clock, Decision, Rule, Series, decide

RATIOS = (1.0, 1.05, 1.10)
WORK = "total = 0\nfor i in range({count}):\n    total += i * i % 7\nprint('done')\n"


@dataclass(frozen=True)
class Round:
    """Seconds of the original and of each version in one round, by CPU and by wall clock."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]


@dataclass(frozen=True)
class Row:
    """What the rules said of one version by one clock."""

    ms: int
    clock: Clock
    ratio: float
    ours: float
    """Share of decisions "faster"."""
    pairs: float
    pie: float
    codeflash: float
    spread: float
    """Standard deviation of a pair's log ratio, robust."""


def measure(sandbox: Sandbox, ms: int, rounds: int, draw: random.Random, repeats: int) -> list[Round]:
    """Run the original and every version `rounds` times."""
    probe = sandbox.run(WORK.format(count=200_000))
    count = 200_000 * ms / 1000 / probe.cpu_s
    programs = [WORK.format(count=int(count)), *(WORK.format(count=int(count / ratio)) for ratio in RATIOS)]
    return [_round(sandbox, programs, draw, repeats) for _ in range(rounds)]


def _round(sandbox: Sandbox, programs: Sequence[str], draw: random.Random, repeats: int) -> Round:
    """Each program `repeats` times, the median of them counts, as in a pair of the judge."""
    cpu: list[list[float]] = [[] for _ in programs]
    wall: list[list[float]] = [[] for _ in programs]
    for _ in range(repeats):
        for which in draw.sample(range(len(programs)), len(programs)):
            run = sandbox.run(programs[which])
            cpu[which].append(run.cpu_s)
            wall[which].append(run.wall_s)
    return Round(tuple(map(median, cpu)), tuple(map(median, wall)))


def judge(rounds: Sequence[Round], ms: int, clock: Clock, version: int, decisions: int) -> Row:
    """Decide from `decisions` starting points."""
    rule = Rule()
    times = [(r.cpu[0], r.cpu[version]) if clock == "cpu" else (r.wall[0], r.wall[version]) for r in rounds]
    logs = [math.log(old / new) for old, new in times]
    walls = [math.log(r.wall[0] / r.wall[version]) for r in rounds]
    last = len(rounds) - rule.max_pairs
    starts = [round(k * last / max(1, decisions - 1)) for k in range(decisions)]
    found = [_decide(logs[s:], walls[s:], clock, rule) for s in starts]
    windows = [times[s : s + PIE_TRIALS] for s in starts]
    split = [([old for old, _ in window], [new for _, new in window]) for window in windows]
    middle = median(logs)
    return Row(
        ms=ms,
        clock=clock,
        ratio=RATIOS[version - 1],
        ours=fmean(decision is Decision.FASTER for decision, _ in found),
        pairs=fmean(pairs for _, pairs in found),
        pie=fmean(pie_says_faster(old, new) for old, new in split),
        codeflash=fmean(codeflash_says_faster(old, new) for old, new in split),
        spread=1.4826 * median(abs(value - middle) for value in logs),
    )


def _decide(logs: Sequence[float], walls: Sequence[float], clock: Clock, rule: Rule) -> tuple[Decision, int]:
    for pairs in range(rule.min_pairs, rule.max_pairs + 1):
        decision, _ = decide(Series(clock, {}, list(logs[:pairs]), list(walls[:pairs])), rule)
        if decision is not Decision.UNDECIDED:
            return decision, pairs
    return Decision.UNDECIDED, rule.max_pairs


@contextlib.contextmanager
def hog(wanted: bool) -> Iterator[None]:
    """Another process that never rests."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if wanted else None
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
    parser.add_argument("--decisions", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=960)
    parser.add_argument("--hog", action="store_true", help="with another process on a core")
    parser.add_argument("--backend", default="auto")
    arguments = parser.parse_args()
    print(
        "| ms | clock | true ratio | ours: faster | pairs (mean) | PIE: faster | codeflash: faster | spread of a pair |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with hog(arguments.hog), open_sandbox(arguments.backend) as sandbox:
        for ms in arguments.ms:
            repeats = max(1, math.ceil(Rule().pair_seconds * 1000 / ms))
            rounds = measure(sandbox, ms, arguments.rounds, random.Random(ms), repeats)
            for clock in ("cpu", "wall"):
                for version in range(1, len(RATIOS) + 1):
                    row = judge(rounds, ms, clock, version, arguments.decisions)  # type: ignore[arg-type]
                    print(
                        f"| {row.ms} | {row.clock} | {row.ratio:.2f} | {row.ours:.1%} | {row.pairs:.1f} | "
                        f"{row.pie:.1%} | {row.codeflash:.1%} | {row.spread:.1%} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
