def reverse(text):
    result = ""
    for letter in text:
        result = letter + result  # HOT
    return result


def main():
    text = "abcdefghij" * 5000
    print(len(reverse(text)))


main()
