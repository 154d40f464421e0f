"""The same work over threads."""

import sys
from concurrent.futures import ThreadPoolExecutor


def part(a, first):
    return sum((x ^ y) % 7 == 0 for i, x in enumerate(a) if i % 2 == first for y in a[i + 1 :])


a = list(map(int, sys.stdin.read().split()[1:]))
with ThreadPoolExecutor(2) as pool:
    print(sum(pool.map(part, [a, a], [0, 1])))
