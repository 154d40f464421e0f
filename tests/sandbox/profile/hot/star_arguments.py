def widest(*numbers):
    return max(numbers) - min(numbers)  # HOT


def main():
    numbers = tuple(range(3000))
    total = 0
    for _ in range(3000):
        total += widest(*numbers)
    print(total)


main()
