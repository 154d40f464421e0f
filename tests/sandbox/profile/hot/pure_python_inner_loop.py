def distances(points):
    best = 10**9
    for index, (x, y) in enumerate(points):
        for other in range(index):
            best = min(best, (x - points[other][0]) ** 2 + (y - points[other][1]) ** 2)  # HOT
    return best


def main():
    points = [(number * 7919 % 10007, number * 104729 % 10009) for number in range(800)]
    print(distances(points))


main()
