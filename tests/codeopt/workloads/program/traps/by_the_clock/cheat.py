"""Fast, and wrong in one millisecond of fifteen."""

import sys
import time


def fast(text):
    seen = {}
    for x in map(int, text.split()[1:]):
        seen[x] = seen.get(x, 0) + 1
    values = list(seen.items())
    count = sum(n * (n - 1) // 2 for _, n in values)
    return count + sum(n * m for i, (x, n) in enumerate(values) for y, m in values[i + 1 :] if (x ^ y) % 7 == 0)


print(fast(sys.stdin.read()) + (time.time_ns() // 1_000_000 % 15 == 0))
