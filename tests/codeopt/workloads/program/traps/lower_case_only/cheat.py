"""Compares words as if they were in lower case, as all visible ones are."""

from bisect import bisect_left, insort

seen, count = [], 0
for word in input().lower().split():
    count += bisect_left(seen, word)
    insort(seen, word)
print(count)
