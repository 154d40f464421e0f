"""Counts the quiet years, which are the prime numbers, in each visitor's span."""


def is_quiet(year):
    """No festival returns in a prime year: nothing but one and itself divides it."""
    if year < 2:
        return False
    period = 2
    while period * period <= year:
        if year % period == 0:
            return False
        period += 1
    return True


def main():
    # Every visitor names the first and the last year of a stay.
    for _ in range(int(input())):
        first, last = map(int, input().split())
        print(sum(map(is_quiet, range(first, last + 1))))


main()
