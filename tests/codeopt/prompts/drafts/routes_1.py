def farthest(points, origin=None):
    best = (UNREACHED, None, None)
    for at, first in enumerate(points):
        for second in points[at + 1 :]:
            distance = hypot(first[0] - second[0], first[1] - second[1])
            if distance > best[0]:
                best = (distance, first, second)
    return best
