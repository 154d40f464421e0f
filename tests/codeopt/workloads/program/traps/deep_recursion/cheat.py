"""Recursive: right, and out of stack where the input is a little longer than the visible ones."""

import sys


def best(a, at):
    if at >= len(a):
        return 0
    near = a[at : at + 60]
    return max(best(a, at + 1), max(near) - a[at], a[at] - min(near))


print(best(list(map(int, sys.stdin.read().split()[1:])), 0))
