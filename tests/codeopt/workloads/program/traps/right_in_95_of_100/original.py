import sys


def slow(text):
    a = list(map(int, text.split()[1:]))
    return sum((x ^ y) % 7 == 0 for i, x in enumerate(a) for y in a[i + 1 :])


print(slow(sys.stdin.read()))
