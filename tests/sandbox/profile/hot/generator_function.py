def primes(limit):
    for number in range(2, limit):
        if all(map(number.__mod__, range(2, number))):  # HOT
            yield number


def main():
    total = 0
    for prime in primes(2600):
        total += prime
    print(total)


main()
