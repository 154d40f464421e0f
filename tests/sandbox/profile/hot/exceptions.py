TABLE = list(range(3000))


def position(item):
    try:
        return TABLE.index(item)  # HOT
    except ValueError:
        return -1


def main():
    total = 0
    for item in range(2000, 8000):
        total += position(item)
    print(total)


main()
