def unseen(numbers, seen):
    return [number for number in numbers if number not in seen]  # HOT


def main():
    seen = list(range(4000))
    numbers = [-number for number in range(1, 3000)]
    missing = unseen(numbers, seen)
    print(sum(missing))


main()
