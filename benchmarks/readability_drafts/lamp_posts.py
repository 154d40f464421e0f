"""Sums of the house numbers that have a lamp post in front of them."""


def lit_houses(spacing, other_spacing, first, last):
    """Houses at either of two regular distances, without counting any twice."""
    return sum(house for house in range(first, last + 1) if house % spacing == 0 or house % other_spacing == 0)


def main():
    # Each walk is one line: both distances, then the first and last house.
    for _ in range(int(input())):
        print(lit_houses(*map(int, input().split())))


main()
