@checked(2)
def farthest(points, origin=None):
    best = (UNREACHED, None, None)
    for first in list(points):
        for second in list(points):
            if origin is not None and first != origin:
                continue
            distance = hypot(first[0] - second[0], first[1] - second[1])
            if distance > best[0]:
                best = (distance, first, second)
    return best
