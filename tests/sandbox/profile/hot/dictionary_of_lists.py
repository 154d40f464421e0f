def group(pairs):
    groups = {}
    for key, value in pairs:
        groups[key] = groups.get(key, []) + [value]  # HOT
    return groups


def main():
    pairs = [(number % 3, number) for number in range(14000)]
    print(len(group(pairs)))


main()
