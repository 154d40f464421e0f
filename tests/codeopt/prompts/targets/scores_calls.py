def results(count, seed):
    return [(("home", "away", "cup")[n % 3], (seed * n * n + n) % 50) for n in range(count)]


CALLS = [(({f"t{n}": results(1 + n, n + count) for n in range(count)},), {}) for count in range(12)]
CALLS += [(({"a": []},), {}), (({},), {}), (({"a": [("home", 1.5)], "b": [("sea", 2)]},), {})]
BIG = [(({f"t{n}": results(160, n + 3) for n in range(8)},), {})]
