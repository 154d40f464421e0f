import sys

n, k, *a = map(int, sys.stdin.read().split())
print(sum((x + y) % k == 0 for i, x in enumerate(a) for y in a[i + 1 :]))
