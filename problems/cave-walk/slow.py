def neighbours(cave, row, column):
    found = []
    for r, c in [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]:
        if 0 <= r < len(cave) and 0 <= c < len(cave[0]) and cave[r][c] == ".":
            found.append((r, c))
    return found


def shortest(cave, start, goal):
    queue = [(start, 0)]
    seen = [start]

    while queue:
        square, steps = queue.pop(0)
        if square == goal:
            return steps

        for neighbour in neighbours(cave, *square):
            if neighbour not in seen:
                seen.append(neighbour)
                queue.append((neighbour, steps + 1))

    return -1  # every square was tried


height, width = map(int, input().split())
cave = [input() for _ in range(height)]
print(shortest(cave, (0, 0), (height - 1, width - 1)))
