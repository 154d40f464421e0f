import sys


def main():
    n, d, *altitudes = map(int, sys.stdin.buffer.read().split())
    altitudes.sort()
    pairs = 0
    low = 0
    for high in range(n):
        while altitudes[high] - altitudes[low] > d:
            low += 1
        pairs += high - low
    print(pairs)


main()
