"""What it costs to check a call, by what it is given: once, with fresh arguments, and with all that it does.

    python -m benchmarks.costs.checking_cost [--calls 200] [--backend process]

CPU seconds of a run with all calls less those of a run with one, by the number of calls; the last column has them
relative to a call with a number.
"""

from __future__ import annotations

import argparse
import base64
import statistics
from collections.abc import Sequence

from codeopt_sandbox import open_sandbox
from codeopt_sandbox.calls import CallBatch, CallRunner, FunctionRef

MODULE = """\
class Shelf:
    def __init__(self, things):
        self.things = list(things)

def f(value, key):
    return key
"""
ROWS = [(f"n{at}", at) for at in range(400)]
PICKLED = b"cmod\nShelf\n)\x81}S'things'\n(l%bsb." % b"".join(b"(S'%b'\nI%d\nta" % (n.encode(), at) for n, at in ROWS)
"""A Shelf of these, as pickle writes it."""
GIVEN = {
    "a number": "7",
    "a list of 800 numbers": repr(list(range(800))),
    "a table of 400 rows": repr(ROWS),
    "400 lists": repr([list(row) for row in ROWS]),
    "a recorded object of 400 parts": f"unpickle({base64.b64encode(PICKLED).decode()!r})",
}
ROUNDS = 5


def seconds_of(runner: CallRunner, given: str, calls: int) -> float:
    """Of a checked call, the median of some runs."""
    found = []
    for _ in range(ROUNDS):
        one, all_of_them = (_seconds(runner, [f"f({given}, {n})" for n in range(count)]) for count in (1, calls))
        found.append((all_of_them - one) / (calls - 1))
    return statistics.median(found)


def _seconds(runner: CallRunner, calls: Sequence[str]) -> float:
    run = runner.ask(MODULE, CallBatch(tuple(calls)))
    if run.answer is None or not all(each.kind == "returns" for each in run.answer.outcomes):
        raise SystemExit(f"a call cannot be made: {run.stderr.decode()[-200:]}")
    return run.cpu_s


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--backend", default="process")
    given = parser.parse_args()
    print("| an argument | ms a call | relative |\n|---|--:|--:|")
    with open_sandbox(given.backend) as sandbox:
        runner = CallRunner(sandbox, FunctionRef("mod", "/nowhere/mod.py", "f"))
        base = 0.0
        for name, text in GIVEN.items():
            found = seconds_of(runner, text, given.calls)
            base = base or found
            print(f"| {name} | {found * 1000:.2f} | {found / base:.1f} |", flush=True)


if __name__ == "__main__":
    main()
