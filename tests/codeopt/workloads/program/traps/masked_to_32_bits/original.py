import sys

a = list(map(int, sys.stdin.read().split()[1:]))
print(sum(x * y for i, x in enumerate(a) for y in a[i + 1 :]))
