"""Print one input for auction-board: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        n, k, highest = 3500, rng.randint(50, 500), 1_000_000
    else:
        n, k, highest = [(1, 1, 10), (20, 4, 5), (6, 6, 1000), (12, 1, 100), (60, 25, 1_000_000)][seed % 5]
    print(n, k)
    print(*(rng.randint(1, highest) for _ in range(n)))


main(int(sys.argv[1]), sys.argv[2])
