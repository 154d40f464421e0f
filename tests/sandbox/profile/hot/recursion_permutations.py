def search(path, left):
    if not left:
        return 1
    ways = 0
    for item in left:
        rest = [other for other in sorted(left, key=str) if str(other) != str(item)]  # HOT
        ways += search(path + [item], rest)
    return ways


print(search([], list(range(8))))
