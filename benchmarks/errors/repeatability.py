"""Is the verdict on the same two versions the same each time, also on a busy machine?

    python -m benchmarks.errors.repeatability [--first 10] [--times 5] [--busy 2]

The drafts are those of benchmarks.errors.domains, as many right as wrong ones. Each is compared several times with one
seed of its inputs (CODEOPT_INPUT_SEED), on an idle machine and beside processes that only compute. The outcome, the
number of compared calls and the smallest input that shows a difference have to be the same in all of them. A verdict on
speed is none of these: that is measured. Prints a line for each draft whose runs differ, then the counts.

Exit status 1 where runs differ without load, or more than 5 % of those beside load.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from benchmarks.errors.domains import right, wrong
from benchmarks.errors.false_rejections import judge
from benchmarks.errors.honest import Honest

SEED = 20
MOST_PAIRS = 6
"""The speed is none of the question."""
MOST_DIFFERENT = 0.05
"""Share of the runs beside load that may differ from the usual one."""


def compared(draft: Honest) -> tuple[str, ...]:
    """What is known of one comparison: the result, the counts of what was compared, and each difference."""
    found = judge(draft, MOST_PAIRS, SEED)
    is_wrong = found["verdict"] == "wrong"
    caveats = sorted(
        f"{each['kind']}: {each['input']}: {each['expected']} / {each['got']}"
        for each in found["caveats"]
        if each["kind"] != "speed"
    )
    seen = found.get("tests") or {}
    counts = [f"{name} {seen[name]}" for name in ("calls", "total", "sources", "mutated_inputs") if name in seen]
    if found["verdict"] == "not judged":
        return "not judged", found["reason"]
    return "wrong" if is_wrong else "right", found["reason"] * is_wrong, *counts, *caveats


def busy() -> None:
    """Compute until the end."""
    while True:
        sum(range(10_000))


@contextlib.contextmanager
def beside(count: int) -> Iterator[None]:
    """Processes that compute meanwhile."""
    processes = [multiprocessing.Process(target=busy, daemon=True) for _ in range(count)]
    for each in processes:
        each.start()
    try:
        yield
    finally:
        for each in processes:
            each.kill()


def main() -> int:
    """Compare all drafts, alone and beside load."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=10, help="of the right drafts, and of the wrong ones")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--busy", type=int, default=2, help="processes of the load")
    arguments = parser.parse_args()
    drafts = [*right.DRAFTS[: arguments.first], *wrong.DRAFTS[: arguments.first]]
    shares = []
    usual: dict[str, tuple[str, ...]] = {}
    for load in (0, arguments.busy):
        different = 0
        with beside(load):
            for draft in drafts:
                runs = [compared(draft) for _ in range(arguments.times)]
                known = usual.setdefault(draft.name, Counter(runs).most_common(1)[0][0])
                others = [each for each in runs if each != known]
                different += len(others)
                for other in dict.fromkeys(others):
                    parts = [part for part in chain(known, other) if part not in known or part not in other]
                    print(f"{draft.name}, beside {load}: {others.count(other)} of {len(runs)}: {' / '.join(parts)}")
        of = len(drafts) * arguments.times
        print(f"beside {load} busy processes: {of - different} of {of} runs are the same", flush=True)
        shares.append(different / of)
    return int(shares[0] > 0 or shares[1] > MOST_DIFFERENT)


if __name__ == "__main__":
    raise SystemExit(main())
