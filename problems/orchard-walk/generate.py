"""Print one input for orchard-walk: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        rows, columns, low, high = 12, 12, -300, 1000
    else:
        rows, columns, low, high = [
            (1, 1, -1000, -1),
            (4, 5, -9, 9),
            (1, 6, -5, 20),
            (5, 2, -1000, -1),
            (6, 7, -1000, 1000),
        ][seed % 5]
    print(rows, columns)
    for _ in range(rows):
        print(*(rng.randint(low, high) for _ in range(columns)))


main(int(sys.argv[1]), sys.argv[2])
