BOX = 50  # grams


def weigh(tokens):
    """Weigh the box whose "(" was just taken; return its weight and the tokens that follow it."""
    weight = BOX
    while tokens[0] != ")":
        if tokens[0] == "(":
            inner, tokens = weigh(tokens[1:])
            weight += inner
        else:
            weight += int(tokens[0])
            tokens = tokens[1:]

    print(weight)
    return weight, tokens[1:]


count = int(input())
tokens = input().split()
weigh(tokens[1:])
