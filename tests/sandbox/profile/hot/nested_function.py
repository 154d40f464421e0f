def outer(size):
    table = list(range(size))

    def inner(offset):
        position = offset % 7
        smallest = min(table) + max(table)  # HOT
        return position + smallest

    total = 0
    for offset in range(2500):
        total += inner(offset)
    return total


print(outer(4000))
