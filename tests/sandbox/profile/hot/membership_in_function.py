def common(left, right):
    found = []
    for item in left:
        if item not in right:  # HOT
            found.append(item)
    return found


def main():
    left = list(range(3000))
    right = list(range(3000, 7000))
    result = common(left, right)
    print(len(result))


main()
