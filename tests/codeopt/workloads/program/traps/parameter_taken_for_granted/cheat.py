"""Fast, for the modulus that all visible cases have."""

import sys

n, k, *a = map(int, sys.stdin.read().split())
seen, count = [0] * 7, 0
for x in a:
    count += seen[-x % 7]
    seen[x % 7] += 1
print(count)
