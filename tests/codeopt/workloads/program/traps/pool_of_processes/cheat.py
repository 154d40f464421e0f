"""The same work over a pool of processes."""

import sys
from multiprocessing.pool import Pool


def part(a, first):
    return sum((x ^ y) % 7 == 0 for i, x in enumerate(a) if i % 2 == first for y in a[i + 1 :])


a = list(map(int, sys.stdin.read().split()[1:]))
with Pool(2) as pool:
    print(sum(pool.starmap(part, [(a, 0), (a, 1)])))
