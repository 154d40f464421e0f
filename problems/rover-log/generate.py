"""Print one input for rover-log: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        n, letters, most = 19_000, "FBLR", 30
    else:
        n, letters, most = [(1, "F", 1), (12, "FBLR", 9), (2, "LR", 99), (8, "B", 99), (60, "FFLR", 20)][seed % 5]
    print(n)
    for _ in range(n):
        print(f"{rng.choice(letters)}{rng.randint(1, most)}")


main(int(sys.argv[1]), sys.argv[2])
