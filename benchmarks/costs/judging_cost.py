"""What it costs to judge one candidate.

    python -m benchmarks.costs.judging_cost [--ms 30] [--cases 10]

The original is measured once for each improvement, a candidate in each round.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from codeopt.core.history import Draft, History
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, read_program
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.engine.judge import Judge
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.program import OpenedProgram
from codeopt_sandbox import open_sandbox

PROGRAM = "n = int(input())\ntotal = 0\nfor i in range(n):\n    total += i * i % 7\nprint(total)\n"
FASTER = "def main():\n" + "".join(f"    {line}\n" for line in PROGRAM.splitlines()) + "main()\n"


def main() -> None:
    """Print seconds for the original (once per improvement) and for a candidate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ms", type=int, default=30)
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--backend", default="auto")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, open_sandbox(arguments.backend) as sandbox:
        folder = Path(name)
        count = 200_000 * arguments.ms / 1000 / sandbox.run(PROGRAM, b"200000").cpu_s
        for number in range(arguments.cases):
            (folder / f"input.{number}.txt").write_text(f"{int(count) - number}\n")

        (folder / "slow.py").write_text(PROGRAM)
        target, program = Target(folder / "slow.py"), read_program(folder / "slow.py")
        request = WorkloadRequest(target, program, ImproveOptions(), Session(), profile_modes=("lines", "scalene"))
        started = time.monotonic()
        judge = Judge(OpenedProgram(request, sandbox).measure().timed())
        opened = time.monotonic()
        candidate = judge.measure(Draft(Revision.of(FASTER), "in a function"), History((judge.original,)))
        judged = time.monotonic()
    found = candidate.comparison
    assert found is not None
    print(f"original: {opened - started:.1f} s   candidate: {judged - opened:.1f} s")
    print(f"{found.decision}, {found.ratio:.2f}x, {found.pairs} pairs, profile: {candidate.profile is not None}")


if __name__ == "__main__":
    main()
