import sys


def main():
    commands = sys.stdin.read().split()[1:]
    x = y = west = east = south = north = 0
    dx, dy = 0, 1
    distances = []
    for command in commands:
        letter = command[0]
        times = int(command[1:])
        if letter == "L" or letter == "R":
            for _ in range((times if letter == "R" else -times) % 4):
                dx, dy = dy, -dx
        else:  # only the end of a straight line can be a new extreme
            if letter == "B":
                times = -times
            x += times * dx
            y += times * dy
            if x < west:
                west = x
            elif x > east:
                east = x
            if y < south:
                south = y
            elif y > north:
                north = y
        distances.append(abs(x) + abs(y))
    print("\n".join(map(str, distances)))
    print(west, east, south, north)


main()
