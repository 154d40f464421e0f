import sys


def main():
    height, width, *rows = sys.stdin.read().split()
    height, width = int(height), int(width)
    span = width + 1  # one column of rock between the rows keeps the walk from wrapping around
    free = bytearray(span * (height + 2))
    for number, row in enumerate(rows, 1):
        for column, square in enumerate(row):
            free[number * span + column] = square == "."
    goal = height * span + width - 1
    edge = [span]
    free[span] = 0
    steps = 0
    while edge:
        if not free[goal]:
            print(steps)
            return
        steps += 1
        reached = []
        for square in edge:
            for neighbour in (square - span, square + span, square - 1, square + 1):
                if free[neighbour]:
                    free[neighbour] = 0
                    reached.append(neighbour)
        edge = reached
    print(-1)


main()
