def best(orchard, row, column):
    """The most apples from this tree to the one at the bottom right."""
    apples = orchard[row][column]
    last_row = row == len(orchard) - 1
    last_column = column == len(orchard[0]) - 1

    if last_row and last_column:
        return apples
    if last_row:
        return apples + best(orchard, row, column + 1)
    if last_column:
        return apples + best(orchard, row + 1, column)

    down = best(orchard, row + 1, column)
    right = best(orchard, row, column + 1)
    return apples + max(down, right)


rows, columns = map(int, input().split())
orchard = []
for _ in range(rows):
    orchard.append([int(apples) for apples in input().split()])

print(best(orchard, 0, 0))
