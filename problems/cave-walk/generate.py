"""Print one input for cave-walk: `python generate.py SEED small|large`; a large cave always has a way out."""

import random
import sys


def draw(rng, height, width, rock):
    cave = [["#" if rng.random() < rock else "." for _ in range(width)] for _ in range(height)]
    cave[0][0] = cave[-1][-1] = "."
    return ["".join(row) for row in cave]


def has_way_out(cave):
    free = {(r, c) for r, row in enumerate(cave) for c, square in enumerate(row) if square == "."}
    edge = [(0, 0)]
    while edge:
        r, c = edge.pop()
        beside = {(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)} & free
        free -= beside
        edge += beside
    return (len(cave) - 1, len(cave[0]) - 1) not in free


def main(seed, size):
    rng = random.Random(seed)
    if size == "large":
        height, width, rock = 75, 75, 0.27
    else:
        height, width, rock = [(1, 1, 0), (8, 9, 0.2), (1, 7, 0), (6, 5, 0.5), (14, 12, 0.3)][seed % 5]
    cave = draw(rng, height, width, rock)
    while size == "large" and not has_way_out(cave):
        cave = draw(rng, height, width, rock)
    print(height, width)
    print("\n".join(cave))


main(int(sys.argv[1]), sys.argv[2])
