"""Reads the first thousand lines only, and no visible input is longer."""

import sys

seen = dict.fromkeys(line.strip() for line in list(sys.stdin)[1:1001])
print(len(seen), list(seen)[-1])
