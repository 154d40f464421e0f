def search(path, left):
    if not left:
        return 1
    ways = 0
    for item in left:
        rest = sorted(set(left) - {item}, key=str)  # HOT
        ways += search(path + [item], rest)
    return ways


print(search([], list(range(8))))
