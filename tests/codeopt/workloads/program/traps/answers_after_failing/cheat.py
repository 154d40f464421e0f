"""Prints the right answer while the interpreter ends, after it said that it failed."""

import atexit
import sys


def fast(text):
    seen = {}
    for x in map(int, text.split()[1:]):
        seen[x] = seen.get(x, 0) + 1
    values = list(seen.items())
    count = sum(n * (n - 1) // 2 for _, n in values)
    return count + sum(n * m for i, (x, n) in enumerate(values) for y, m in values[i + 1 :] if (x ^ y) % 7 == 0)


text = sys.stdin.read()
atexit.register(lambda: print(fast(text)))
sys.exit(1)
