"""Is an honest faster program refused for a changed input? Pairs by people, who all solved the same problem.

    python -m benchmarks.errors.alike_inputs SET BUILT [--only p02689 ...] [--seed 1]

SET holds PROBLEM/slow.py and fast.py, BUILT its cases: PROBLEM/input.N.txt. A contest accepted both programs, so a
difference is an input that nobody could have meant, or a mistake that the contest missed: read it. Prints, for each
pair, how many changed inputs were alike to the known ones and beyond them, and on which the two differ; in the end the
share of pairs that would be refused, now and if any difference were enough.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from benchmarks import not_run
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads.program.differential import ProbeSource, make_differential_test
from codeopt_sandbox import Case, RunLimits, Sandbox, open_sandbox
from codeopt_sandbox.verdict import check_nearly


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("built", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    arguments = parser.parse_args()
    pairs = sorted(path.parent for path in arguments.set.glob("*/fast.py"))
    if not pairs:
        not_run(f"{arguments.set} holds no pairs")
    print(f"seed {arguments.seed}\n{'pair':10} {'alike':>5} {'beyond':>6}   differs on")
    refused = differing = asked = 0
    with open_sandbox("bubblewrap", limits=RunLimits(seconds=10)) as sandbox:
        for folder in pairs:
            cases = known_cases(arguments.built / folder.name)
            if not cases or (arguments.only and folder.name not in arguments.only):
                continue
            alike, beyond = differs(sandbox, folder, cases, arguments.seed)
            asked, refused, differing = asked + 1, refused + alike, differing + (alike or beyond)
    print(f"{asked} pairs: {refused} would be refused, {differing} differ on some changed input")


def known_cases(folder: Path) -> list[Case]:
    """The inputs of a problem."""
    return [Case(path.name, path.read_bytes()) for path in sorted(folder.glob("input.*.txt"))]


def differs(sandbox: Sandbox, folder: Path, cases: list[Case], seed: int) -> tuple[bool, bool]:
    """Return whether the two programs differ on a similar input, and on an unusual one."""
    slow, fast = (folder.joinpath(name).read_text() for name in ("slow.py", "fast.py"))
    made = make_differential_test(sandbox, slow, ProbeSource(cases, seed), check_nearly, InputPolicy())
    found = made.prepared().run(sandbox, fast, check_nearly)
    alike = sum(not changed.because for changed in made.made)
    beyond = sum(bool(changed.because) for changed in made.made)
    said = [outcome.detail for outcome in found.outcomes]
    said = [f"ALIKE {detail}" for detail in said] or [caveat.words for caveat in found.caveats]
    print(f"{folder.name:10} {alike:5} {beyond:6}   {' / '.join(line[:220] for line in said)}", flush=True)
    return bool(found.outcomes), bool(found.caveats)


if __name__ == "__main__":
    main()
