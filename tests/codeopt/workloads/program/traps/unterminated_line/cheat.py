"""Drops what stands after the last line end: right while every input ends with one."""

import sys
from bisect import bisect_left, insort

seen, count = [], 0
for line in reversed(sys.stdin.read().split("\n")[:-1]):
    count += bisect_left(seen, int(line))
    insort(seen, int(line))
print(count)
