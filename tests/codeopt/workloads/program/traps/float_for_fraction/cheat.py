"""Sums floats and finds a fraction nearby: right while denominators are small."""

import sys
from fractions import Fraction

total = 0.0
for token in sys.stdin.read().split()[1:]:
    above, _, below = token.partition("/")
    total += int(above) / int(below)
print(Fraction(total).limit_denominator(10000))
