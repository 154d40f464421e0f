"""Weighs nested boxes: "(" opens a box, ")" closes it, a number is a thing in it."""

EMPTY_BOX = 50  # grams of cardboard


def weigh(tokens):
    """Grams of the box that was just opened, printed as soon as everything inside is known."""
    weight = EMPTY_BOX
    for token in tokens:
        if token == ")":
            break
        weight += weigh(tokens) if token == "(" else int(token)
    print(weight)
    return weight


def main():
    # How many tokens follow need not be known.
    input()
    tokens = iter(input().split())
    next(tokens)
    weigh(tokens)


main()
