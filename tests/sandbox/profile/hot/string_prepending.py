def reverse(text):
    result = ""
    for letter in text:
        result = letter + result  # HOT
    return result


def main():
    text = "abcdefghij" * 8000
    print(len(reverse(text)))


main()
