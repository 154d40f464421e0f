DATA = list(range(2000))


def even(depth):
    if depth == 0:
        return 0
    return odd(depth - 1) + 1


def odd(depth):
    weight = sum(DATA) % 2  # HOT
    return even(depth - 1) + weight


def main():
    total = 0
    for _ in range(40):
        total += even(900 // 2 * 2)
    print(total)


main()
