class Table:
    def __init__(self, size):
        self.rows = list(range(size))

    def find(self, row):
        place = self.rows.index(row)  # HOT
        return place + 1

    def total(self):
        result = 0
        for row in range(0, len(self.rows), 2):
            result += self.find(row)
        return result


print(Table(7000).total())
