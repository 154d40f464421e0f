"""Follows a rover's commands, and tells how far it went to each side."""

# North, east, south, west: a turn to the right is the next one.
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
TURNS = {"L": 3, "R": 1}


def main():
    """After each command the distance from the start, at the end the borders of the area."""
    across, up, heading = 0, 0, 0
    west, east, south, north = 0, 0, 0, 0
    for _ in range(int(input())):
        command = input()
        letter, times = command[0], int(command[1:])
        if letter in TURNS:
            heading = (heading + TURNS[letter] * times) % len(STEPS)
        else:
            # Backwards is forwards with a negative length.
            distance = times if letter == "F" else -times
            across += STEPS[heading][0] * distance
            up += STEPS[heading][1] * distance
        west, east = min(west, across), max(east, across)
        south, north = min(south, up), max(north, up)
        print(abs(across) + abs(up))
    print(west, east, south, north)


main()
