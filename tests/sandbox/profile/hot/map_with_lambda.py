def convert(lines):
    rows = list(map(lambda line: sorted(map(int, line.split())), lines))  # HOT
    return len(rows)


def main():
    lines = ["5 3 9 1 4 7 2 8 6 0 11 15 13"] * 50000
    print(convert(lines))


main()
