import sys
from itertools import accumulate


def main():
    days, questions, *numbers = map(int, sys.stdin.buffer.read().split())
    before = [0, *accumulate(numbers[:days])]
    firsts, lasts = numbers[days::2], numbers[days + 1 :: 2]
    print("\n".join([str(before[last] - before[first - 1]) for first, last in zip(firsts, lasts)]))


main()
