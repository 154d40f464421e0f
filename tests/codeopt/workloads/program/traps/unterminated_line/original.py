import sys

a = [int(line) for line in sys.stdin]
print(sum(x > y for i, x in enumerate(a) for y in a[i + 1 :]))
