def total(words, text):
    return sum(
        text.count(word)  # HOT
        for word in words
        if len(word) > 1
    )


def main():
    text = "abcdefghij" * 3000
    words = [str(number) for number in range(10000)]
    print(total(words[:9000], text))


main()
