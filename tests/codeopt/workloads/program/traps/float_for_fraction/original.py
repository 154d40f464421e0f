import sys
from fractions import Fraction

total = Fraction(0)
for token in sys.stdin.read().split()[1:]:
    total += Fraction(token)
print(total)
