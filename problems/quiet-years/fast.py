import sys
from itertools import accumulate


def main():
    visitors, *stays = map(int, sys.stdin.buffer.read().split())
    end = max(stays)
    quiet = bytearray([1]) * (end + 1)
    quiet[:2] = bytes(2)
    for year in range(2, int(end**0.5) + 1):
        if quiet[year]:
            quiet[year * year :: year] = bytes(len(range(year * year, end + 1, year)))
    until = list(accumulate(quiet))
    print("\n".join([str(until[last] - until[first - 1]) for first, last in zip(stays[::2], stays[1::2])]))


main()
