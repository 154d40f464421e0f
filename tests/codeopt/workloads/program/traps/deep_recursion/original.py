import sys

a = list(map(int, sys.stdin.read().split()[1:]))
best = 0
for i in range(len(a)):
    for j in range(i + 1, min(i + 60, len(a))):
        best = max(best, abs(a[i] - a[j]))
print(best)
