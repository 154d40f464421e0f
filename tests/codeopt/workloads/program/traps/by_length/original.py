import sys


def inversions(a):
    return sum(a[i] > a[j] for i in range(len(a)) for j in range(i + 1, len(a)))


print(inversions(list(map(int, sys.stdin.read().split()[1:]))))
