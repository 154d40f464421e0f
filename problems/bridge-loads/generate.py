"""Print one input for bridge-loads: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        n, m, q, heaviest = 110, 400, 2000, 100_000
    else:
        n, m, q, heaviest = [(2, 0, 1, 1), (8, 20, 9, 9), (2, 3, 2, 50), (9, 6, 8, 1), (15, 14, 30, 100_000)][seed % 5]
    print(n, m, q)
    for _ in range(m):
        print(*rng.sample(range(1, n + 1), 2), rng.randint(1, heaviest))
    for _ in range(q):
        print(*rng.sample(range(1, n + 1), 2))


main(int(sys.argv[1]), sys.argv[2])
