def farthest(points, origin=None):
    longest, one, other = UNREACHED, None, None
    for first in points:
        if origin is not None and first != origin:
            continue
        x, y = first[0], first[1]
        for second in points:
            distance = hypot(x - second[0], y - second[1])
            if distance > longest:
                longest, one, other = distance, first, second
    return (longest, one, other)
