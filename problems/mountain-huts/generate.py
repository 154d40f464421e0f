"""Print one input for mountain-huts: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        n, d, top = 2500, rng.randint(100, 1000), 1_000_000
    else:
        n, d, top = [(1, 0, 10), (10, 5, -480), (2, 0, -500), (20, 0, -490), (60, 300, 5000)][seed % 5]
    print(n, d)
    print(*(rng.randint(-500, top) for _ in range(n)))


main(int(sys.argv[1]), sys.argv[2])
