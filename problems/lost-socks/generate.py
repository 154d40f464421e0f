"""Print one input for lost-socks: `python generate.py SEED small|large`."""

import random
import sys

COLOURS = ["red", "blue", "green", "grey", "black", "white", "pink", "teal", "plum", "sand", "mint", "rust"]
PATTERNS = ["dots", "stripes", "checks", "stars", "waves", "plain"]


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        number, colours, letters = 5500, COLOURS, "abcdefgh"
    else:
        number, colours, letters = [
            (1, COLOURS, "a"),
            (20, COLOURS[:2], ""),
            (2, COLOURS[:1], ""),
            (30, COLOURS[:1], "ab"),
            (80, COLOURS, ""),
        ][seed % 5]
    print(number)
    for _ in range(number):
        words = [rng.choice(colours), rng.choice(PATTERNS)]
        if letters:
            words.append(rng.choice(letters))
        print("-".join(words))


main(int(sys.argv[1]), sys.argv[2])
