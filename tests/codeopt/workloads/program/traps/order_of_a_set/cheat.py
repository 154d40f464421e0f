"""The most frequent word, from a set: of several as frequent, the seed of the hashes decides which it is."""

import sys
from collections import Counter

counts = Counter(sys.stdin.read().split())
print(max(set(counts), key=counts.get))
