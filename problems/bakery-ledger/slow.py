class Ledger:
    """The daily results of the bakery, day 1 first."""

    def __init__(self, results):
        self.results = results

    def total(self, first, last):
        amount = 0
        for day in range(first, last + 1):
            amount += self.results[day - 1]
        return amount


def main():
    days, questions = map(int, input().split())
    ledger = Ledger([int(word) for word in input().split()])
    assert len(ledger.results) == days

    for _ in range(questions):
        first, last = map(int, input().split())
        print(ledger.total(first, last))


if __name__ == "__main__":
    main()
