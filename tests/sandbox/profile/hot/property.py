class Series:
    def __init__(self, values):
        self.values = values

    @property
    def mean(self):
        return sum(self.values) / len(self.values)  # HOT

    def deviation(self):
        result = 0
        for value in self.values:
            difference = value - self.mean
            result += difference * difference
        return result


print(Series(list(range(5000))).deviation())
