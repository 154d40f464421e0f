import sys


def main():
    open_boxes = []
    weights = []
    weight = 0
    for token in sys.stdin.read().split()[1:]:
        if token == "(":
            open_boxes.append(weight)
            weight = 50
        elif token == ")":
            weights.append(weight)
            weight += open_boxes.pop()
        else:
            weight += int(token)
    print("\n".join(map(str, weights)))


main()
