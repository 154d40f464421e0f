"""Print one input for quiet-years: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        visitors, end, longest = 200, 200_000, 2000
    else:
        visitors, end, longest = [(1, 1, 1), (8, 100, 30), (5, 4, 4), (6, 200_000, 1), (15, 200_000, 60)][seed % 5]
    print(visitors)
    for _ in range(visitors):
        first = rng.randint(1, end)
        print(first, min(end, first + rng.randint(1, longest) - 1))


main(int(sys.argv[1]), sys.argv[2])
