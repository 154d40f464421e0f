import random


def medians(numbers):
    window = []
    result = []
    for number in numbers:
        window.append(number)
        window.sort(key=abs)  # HOT
        result.append(window[len(window) // 2])
    return result


def main():
    random.seed(1)
    numbers = [random.randrange(10**6) for _ in range(2500)]
    print(sum(medians(numbers)))


main()
