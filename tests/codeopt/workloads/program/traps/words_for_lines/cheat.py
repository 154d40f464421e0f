"""Reads words where the original reads lines; every visible line is one word."""

import sys

for title in sys.stdin.read().split()[1:]:
    print(len(title), title[::-1])
