import sys

sys.setrecursionlimit(20000)


def total(numbers, index):
    if index == len(numbers):
        return 0
    first = numbers[index]
    weight = sum(numbers[index:]) % 2  # HOT
    return first + weight + total(numbers, index + 1)


def main():
    numbers = list(range(4000))
    print(total(numbers, 0))


main()
