def spread(count, seed=3):
    return [((seed * n * n) % 97, (seed + n * 31) % 89) for n in range(count)]


CALLS = [((spread(count, 1 + count % 5),), {}) for count in range(12)]
CALLS += [(([(0, 0), (0, 0)],), {}), ((spread(5), (3, 3)), {}), ((spread(4),), {"origin": (0, 3)})]
BIG = [((spread(250),), {}), ((spread(230, 7),), {})]
