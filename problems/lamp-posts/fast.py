import sys
from math import lcm


def multiples(divisor, last):
    """The sum of all multiples of `divisor` up to `last`."""
    count = last // divisor
    return divisor * count * (count + 1) // 2


def lamps(a, b, last):
    return multiples(a, last) + multiples(b, last) - multiples(lcm(a, b), last)


def main():
    walks, *numbers = map(int, sys.stdin.buffer.read().split())
    for a, b, first, last in zip(*[iter(numbers)] * 4):
        print(lamps(a, b, last) - lamps(a, b, first - 1))


main()
