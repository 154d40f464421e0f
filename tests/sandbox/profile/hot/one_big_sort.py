import random


def main():
    random.seed(1)
    numbers = random.choices(range(10**9), k=150000)
    numbers = [str(number) for number in numbers[:100]] + list(map(str, numbers))
    numbers = sorted(numbers * 3)  # HOT
    print(numbers[0])


main()
