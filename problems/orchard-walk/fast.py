import sys


def main():
    rows, columns, *apples = map(int, sys.stdin.buffer.read().split())
    nothing = float("-inf")
    best = [nothing] * columns  # the most apples on the way to each tree of the row above
    best[0] = 0
    for start in range(0, rows * columns, columns):
        left = nothing
        for column in range(columns):
            left = apples[start + column] + (left if left > best[column] else best[column])
            best[column] = left
    print(best[-1])


main()
