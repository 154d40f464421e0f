import sys


def main():
    words = sys.stdin.read().split()
    orders = 2 * int(words[0])
    letters = words[2 : 2 + orders : 2]
    places = words[3 : 2 + orders : 2]
    ribbon = "".join([letter * int(count) for letter, count in zip(letters, places)])
    length = len(ribbon)
    looked_at = map(int, words[2 + orders :])
    print("\n".join([ribbon[place - 1] if place <= length else "-" for place in looked_at]))


main()
