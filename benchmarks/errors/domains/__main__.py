"""Bounded domains: which right drafts are accepted, with how many caveats about their domain, and which wrong ones are
rejected?

    python -m benchmarks.errors.domains [NAME ...] [--pairs 8]

Exit status 1 where fewer than 28 of the 30 right drafts are accepted with one such caveat at most, or a wrong draft is
not rejected.
"""

from __future__ import annotations

import argparse

from benchmarks.errors.domains import right, wrong
from benchmarks.errors.false_rejections import line, row
from benchmarks.errors.honest import Honest

ACCEPTED = 28
RIGHT = ("faster", "same", "slower", "inconclusive")
"""Verdicts about a draft with the right results."""


def domain_caveats(case: Honest, pairs: int) -> tuple[bool, int]:
    """Whether the results of a draft count as right, and the number of caveats about unusual inputs."""
    found = row(case, pairs)
    print(line(found), flush=True)
    about = [each for each in found["caveats"] if each["domain"]]
    return found["verdict"] in RIGHT, len(about)


def main() -> int:
    """One line a draft, then the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only drafts whose name has one of these in it")
    parser.add_argument("--pairs", type=int, default=8, help="at most, of one comparison (%(default)s)")
    arguments = parser.parse_args()

    def wanted(drafts: tuple[Honest, ...]) -> list[Honest]:
        names = arguments.names
        return [each for each in drafts if not names or any(name in each.name for name in names)]

    good = [domain_caveats(each, arguments.pairs) for each in wanted(right.DRAFTS)]
    bad = [domain_caveats(each, arguments.pairs) for each in wanted(wrong.DRAFTS)]
    accepted = sum(is_right and count <= 1 for is_right, count in good)
    rejected = sum(not is_right for is_right, _ in bad)
    print(f"right drafts accepted with one caveat about the domain at most: {accepted} of {len(good)}")
    print(f"wrong drafts rejected: {rejected} of {len(bad)}")
    return int(rejected < len(bad) or accepted < len(good) - len(right.DRAFTS) + ACCEPTED)


if __name__ == "__main__":
    raise SystemExit(main())
