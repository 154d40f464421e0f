"""Print one input for packing-list: `python generate.py SEED small|large`."""

import random
import sys


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        count, depth, open_share = 20_000, 40, 0.2
    else:
        count, depth, open_share = [(2, 1, 0), (16, 3, 0.4), (3, 1, 0), (124, 60, 1), (100, 10, 0.3)][seed % 5]
    tokens = ["("]
    opened = 1
    while len(tokens) + opened < count:
        room = len(tokens) + opened + 2 <= count
        if room and opened < depth and rng.random() < open_share:
            tokens.append("(")
            opened += 1
        elif opened > 1 and rng.random() < 0.3:
            tokens.append(")")
            opened -= 1
        else:
            tokens.append(str(rng.randint(1, 5000)))
    tokens += [")"] * opened
    print(len(tokens))
    print(*tokens)


main(int(sys.argv[1]), sys.argv[2])
