import sys

seen = []
for x in map(int, sys.stdin.read().split()[1:]):
    if x not in seen:
        seen.append(x)
print(len(seen))
