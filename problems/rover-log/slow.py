n = int(input())

# north, east, south, west
step_x = [0, 1, 0, -1]
step_y = [1, 0, -1, 0]

x = 0
y = 0
heading = 0
west, east = 0, 0
south, north = 0, 0

for i in range(n):
    command = input()
    letter = command[0]
    times = int(command[1:])

    for step in range(times):
        if letter == "L":
            heading = (heading + 3) % 4
        elif letter == "R":
            heading = (heading + 1) % 4
        elif letter == "F":
            x = x + step_x[heading]
            y = y + step_y[heading]
        elif letter == "B":
            x = x - step_x[heading]
            y = y - step_y[heading]

        west = min(west, x)
        east = max(east, x)
        south = min(south, y)
        north = max(north, y)

    print(abs(x) + abs(y))

print(west, east, south, north)
