def key(word):
    letters = sorted(word * 4)  # HOT
    return letters[0]


def main():
    words = [f"word{number % 977}" for number in range(50000)]
    words.sort(key=key)
    print(words[0])


main()
