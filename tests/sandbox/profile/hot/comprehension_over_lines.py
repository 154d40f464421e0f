def digits(number):
    return [int(digit) for digit in str(number)]


def powers(limit):
    small = [
        (number, pow(3, number, 10**40 + 7) % 10, pow(number, 10**300, 10**60 + 7))  # HOT
        for number in range(limit)
    ]
    return small[::-1]


def main():
    table = powers(400)
    print(len(table), sum(digits(table[0][0])))


main()
