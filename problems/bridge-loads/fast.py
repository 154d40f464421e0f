import sys


def main():
    n, m, q, *numbers = map(int, sys.stdin.buffer.read().split())
    roads = sorted(zip(numbers[2 : 3 * m : 3], numbers[0 : 3 * m : 3], numbers[1 : 3 * m : 3]), reverse=True)
    load = [[0] * (n + 1) for _ in range(n + 1)]
    group = [[depot] for depot in range(n + 1)]
    for tonnes, a, b in roads:  # strongest first: the road that joins two groups is the bottleneck between them
        left, right = group[a], group[b]
        if left is right:
            continue
        for x in left:
            row = load[x]
            for y in right:
                row[y] = load[y][x] = tonnes
        if len(left) < len(right):
            left, right = right, left
        left += right
        for depot in right:
            group[depot] = left
    questions = numbers[3 * m :]
    print("\n".join([str(load[a][b]) for a, b in zip(questions[::2], questions[1::2])]))


main()
