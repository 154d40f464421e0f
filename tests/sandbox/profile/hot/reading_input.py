import sys


def main():
    rows = []
    for line in sys.stdin:
        row = [int(word) for word in line.split()]  # HOT
        rows.append(row[0])
    print(sum(rows))


main()
