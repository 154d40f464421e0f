class Version:
    def __init__(self, text):
        self.text = text

    def __lt__(self, other):
        mine = [int(part) for part in self.text.split(".") * 4]  # HOT
        return mine < other.numbers()

    def numbers(self):
        if not hasattr(self, "cached"):
            self.cached = list(map(int, self.text.split(".") * 4))
        return self.cached


versions = [Version(f"{number * 7919 % 1000}.{number % 10}.0") for number in range(6000)]
print(sorted(versions)[0].text)
