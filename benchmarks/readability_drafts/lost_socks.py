"""Which socks have lost their partner: those of which there is an odd number."""

from collections import Counter


def print_lost(socks):
    """How many kinds, then each with its number, in the order in which they were first found."""
    numbers = Counter(socks)
    lost = [sock for sock, number in numbers.items() if number % 2 == 1]
    print(len(lost))
    for sock in lost:
        print(sock, numbers[sock])


def main():
    # The first line says how many lines follow, a sock each.
    print_lost([input() for _ in range(int(input()))])


main()
