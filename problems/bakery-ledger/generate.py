"""Print one input for bakery-ledger: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        days, questions, bound = 4500, 6000, 10_000
    else:
        days, questions, bound = [(1, 1, 5), (12, 8, 100), (1, 4, 10_000), (5, 3, 0), (50, 40, 10_000)][seed % 5]
    print(days, questions)
    print(*(rng.randint(-bound, bound) for _ in range(days)))
    for _ in range(questions):
        print(*sorted((rng.randint(1, days), rng.randint(1, days))))


main(int(sys.argv[1]), sys.argv[2])
