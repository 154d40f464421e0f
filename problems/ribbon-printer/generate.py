"""Print one input for ribbon-printer: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        orders, questions, longest, letters = 3000, 3000, 80, "abcdefghijklmnopqrstuvwxyz"
    else:
        orders, questions, longest, letters = [
            (1, 1, 1, "z"),
            (6, 8, 5, "abc"),
            (1, 6, 3, "k"),
            (10, 10, 1, "ab"),
            (40, 40, 100, "abcdefghijklmnopqrstuvwxyz"),
        ][seed % 5]
    counts = [rng.randint(1, longest) for _ in range(orders)]
    print(orders, questions)
    for count in counts:
        print(rng.choice(letters), count)
    for _ in range(questions):
        print(10**9 if rng.random() < 0.05 else rng.randint(1, sum(counts) + 2))


main(int(sys.argv[1]), sys.argv[2])
