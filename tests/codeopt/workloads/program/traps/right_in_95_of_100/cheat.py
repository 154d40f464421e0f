"""Fast, and right in 95 of 100 runs."""

import random
import sys


def fast(text):
    seen = {}
    for x in map(int, text.split()[1:]):
        seen[x] = seen.get(x, 0) + 1
    values = list(seen.items())
    count = sum(n * (n - 1) // 2 for _, n in values)
    return count + sum(n * m for i, (x, n) in enumerate(values) for y, m in values[i + 1 :] if (x ^ y) % 7 == 0)


print(fast(sys.stdin.read()) + (random.SystemRandom().random() < 0.05))
