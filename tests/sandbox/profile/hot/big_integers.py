def fibonacci(count):
    a, b = 0, 1
    for _ in range(count):
        a, b = b, a + b
    return a


def main():
    number = fibonacci(1000) * 7**30000
    digits = 0
    while number:
        number //= 10  # HOT
        digits += 1
    print(digits)


main()
