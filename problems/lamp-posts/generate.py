"""Print one input for lamp-posts: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        walks, longest, divisor, end = 60, 150_000, 30, 10_000_000
    else:
        walks, longest, divisor, end = [
            (1, 1, 1, 1),
            (6, 30, 6, 100),
            (5, 1, 3, 20),
            (8, 200, 10_000, 10_000),
            (20, 400, 12, 1_000_000_000),
        ][seed % 5]
    print(walks)
    for _ in range(walks):
        first = rng.randint(1, end)
        last = min(end, first + rng.randint((longest + 1) // 2, longest) - 1)
        print(rng.randint(1, divisor), rng.randint(1, divisor), first, last)


main(int(sys.argv[1]), sys.argv[2])
